// SPDX-License-Identifier: BSD-3-Clause
// The definitions of core/timeout.hpp.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace collectives::inline v0 {

COLLECTIVES_INLINE std::chrono::nanoseconds timeout::span() const {
    return span_ == unset ? from_environment() : span_;
}

COLLECTIVES_INLINE steady::time_point timeout::deadline(steady::time_point now) const {
    auto const time = span();
    return time == forever ? steady::time_point::max() : now + time;
}

[[gnu::cold]] COLLECTIVES_INLINE std::chrono::nanoseconds timeout::from_environment() {
    static auto const value = [] {
        char const* const text = std::getenv("COLLECTIVES_TIMEOUT");
        if (text == nullptr) { return std::chrono::nanoseconds(std::chrono::seconds(60)); }
        std::string_view const view(text);
        double seconds = 0;
        auto const [end, fault] = std::from_chars(view.data(), view.data() + view.size(), seconds);
        if (fault != std::errc{} || end != view.data() + view.size() || !(seconds > 0)) {
            throw_error<usage_error>("COLLECTIVES_TIMEOUT is '", view, "': give seconds, above 0");
        }
        if (seconds > 3e9) { return forever; }
        return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
    }();
    return value;
}

}  // namespace collectives
