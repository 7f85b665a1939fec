// SPDX-License-Identifier: BSD-3-Clause
// Whole numbers of a JSON file.
#pragma once

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace coll_show {

/// The whole number that `of` holds. The JSON library itself would cut a fraction off, and convert
/// what T cannot hold. std::runtime_error where it is no whole number, or none that T holds.
template <std::integral T>
T whole(nlohmann::json const& of) {
    auto const held = [&of](auto number) {
        if (!std::in_range<T>(number)) {
            throw std::runtime_error(fmt::format("{} is out of range", of.dump()));
        }
        return static_cast<T>(number);
    };
    if (of.is_number_unsigned()) { return held(of.get<std::uint64_t>()); }
    if (of.is_number_integer()) { return held(of.get<std::int64_t>()); }
    throw std::runtime_error(fmt::format("{} is no whole number", of.dump()));
}

}  // namespace coll_show
