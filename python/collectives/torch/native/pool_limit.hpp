// SPDX-License-Identifier: BSD-3-Clause
// How much memory a process's tensors may take from what its host's ranks share.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/transport/shared/available_memory.hpp>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace collectives_torch {

namespace coll = collectives;

/// A thirty-second of the host's memory for all ranks together. A forked process copies the blocks,
/// so that a few workers of a DataLoader for each rank still take a part of the memory only.
inline std::size_t default_pool_limit(int ranks) {
    auto const all = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
                     static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return std::min(all, coll::shared::available_memory()) / 32 / static_cast<std::size_t>(ranks);
}

/// COLLECTIVES_TORCH_POOL: `off`, or bytes, also as 512M or 2G. Throws usage_error for others.
inline std::optional<std::size_t> given_pool_limit() {
    auto const* const given = std::getenv("COLLECTIVES_TORCH_POOL");
    std::string_view text = given == nullptr ? "" : given;
    if (text.empty()) { return {}; }
    if (text == "off") { return 0; }
    auto const unit = text.back() == 'K'   ? 10
                      : text.back() == 'M' ? 20
                      : text.back() == 'G' ? 30
                                           : 0;
    auto const number = text.substr(0, text.size() - (unit == 0 ? 0 : 1));
    std::size_t value = 0;
    auto const [end, fault] = std::from_chars(number.begin(), number.end(), value);
    if (fault != std::errc() || end != number.end() || value >= std::size_t{1} << (46 - unit)) {
        throw coll::usage_error(coll::text_of("COLLECTIVES_TORCH_POOL is '", given,
                                              "', not off, or bytes such as 512M"));
    }
    return value << unit;
}

}  // namespace collectives_torch
