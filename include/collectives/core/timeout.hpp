// SPDX-License-Identifier: BSD-3-Clause
// The time that a call may take, and its deadline.
#pragma once

#include <collectives/core/compiled.hpp>

#include <chrono>

namespace collectives::inline v0 {

/// The clock of deadlines.
using steady = std::chrono::steady_clock;

/// The time that a whole call may take. Default: COLLECTIVES_TIMEOUT in seconds, else 60 s.
class timeout {
public:
    /// A call that waits as long as it takes. A rank that never comes is then not an error.
    static timeout const never;

    constexpr timeout() = default;  ///< the default
    /// From any duration; of a hundred years and more it is `never`.
    template <class Rep, class Period>
    constexpr timeout(std::chrono::duration<Rep, Period> time)  // NOLINT: a duration is a time-out
        : span_(time >= std::chrono::hours(24 * 365 * 100)
                    ? forever
                    : std::chrono::ceil<std::chrono::nanoseconds>(time)) {}

    /// The duration, with the default filled in. Throws usage_error if COLLECTIVES_TIMEOUT is not a
    /// number.
    std::chrono::nanoseconds span() const;

    /// When a call that starts now must have ended.
    steady::time_point deadline(steady::time_point now) const;

    friend constexpr bool operator==(timeout, timeout) = default;

private:
    static constexpr auto unset = std::chrono::nanoseconds::min();
    static constexpr auto forever = std::chrono::nanoseconds::max();

    static std::chrono::nanoseconds from_environment();

    std::chrono::nanoseconds span_ = unset;
};

inline constexpr timeout timeout::never{std::chrono::hours(24 * 365 * 200)};

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/core/timeout.ipp>
#endif
