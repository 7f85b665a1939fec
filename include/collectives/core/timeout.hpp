// SPDX-License-Identifier: BSD-3-Clause
// How long a call may take, and the point in time that follows from it.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

namespace collectives {

using steady = std::chrono::steady_clock;

/// The time a whole call may take. Default: COLLECTIVES_TIMEOUT in seconds, else 60 s.
class timeout {
public:
    static timeout const never;

    constexpr timeout() = default;
    template <class Rep, class Period>
    constexpr timeout(std::chrono::duration<Rep, Period> time)  // NOLINT: a duration is a time-out
        : span_(time >= std::chrono::hours(24 * 365 * 100)
                    ? forever
                    : std::chrono::ceil<std::chrono::nanoseconds>(time)) {}

    /// The span, with the default put in. Throws usage_error if COLLECTIVES_TIMEOUT is no number.
    std::chrono::nanoseconds span() const { return span_ == unset ? from_environment() : span_; }

    /// When a call that starts now must have ended.
    steady::time_point deadline(steady::time_point now) const {
        auto const time = span();
        return time == forever ? steady::time_point::max() : now + time;
    }

    friend constexpr bool operator==(timeout, timeout) = default;

private:
    static constexpr auto unset = std::chrono::nanoseconds::min();
    static constexpr auto forever = std::chrono::nanoseconds::max();

    static std::chrono::nanoseconds from_environment() {
        static auto const value = [] {
            char const* const text = std::getenv("COLLECTIVES_TIMEOUT");
            if (text == nullptr) { return std::chrono::nanoseconds(std::chrono::seconds(60)); }
            std::string_view const view(text);
            double seconds = 0;
            auto const [end, fault] =
                std::from_chars(view.data(), view.data() + view.size(), seconds);
            if (fault != std::errc{} || end != view.data() + view.size() || !(seconds > 0)) {
                throw usage_error(
                    text_of("COLLECTIVES_TIMEOUT is '", view, "': give seconds, above 0"));
            }
            if (seconds > 3e9) { return forever; }
            return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
        }();
        return value;
    }

    std::chrono::nanoseconds span_ = unset;
};

inline constexpr timeout timeout::never{std::chrono::hours(24 * 365 * 200)};

}  // namespace collectives
