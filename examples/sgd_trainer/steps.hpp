// SPDX-License-Identifier: BSD-3-Clause
// What a rank writes down of each step. Trivially copyable, so that ranks can gather it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace trainer {

/// Times are nanoseconds of the steady clock, which all processes of a machine share.
struct step_record {
    double loss = 0;  ///< summed over the rank's images
    double rate = 0;
    std::int64_t begin_ns = 0;     ///< it asks for its first images
    std::int64_t computed_ns = 0;  ///< it has its gradient
    std::int64_t averaged_ns = 0;  ///< it has everybody's
    std::int64_t end_ns = 0;       ///< it has new parameters
    std::int64_t loading_ns = 0;   ///< before computed: waited for images
    std::int64_t handing_ns = 0;   ///< before computed: gave gradients away, and moved others
    std::uint64_t sent = 0;        ///< bytes, where they are counted
    std::int32_t step = 0;         ///< from 0
    // Of servers that do not wait for all:
    std::int32_t stale = 0;       ///< updates between fetching parameters and using a gradient: sum
    std::int32_t most_stale = 0;  ///< and the most
    std::int32_t ahead = 0;  ///< steps by which a worker was let ahead of the slowest: the most
};

inline std::int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Where a rank's time went, in seconds.
struct spent {
    double compute = 0;
    double exposed = 0;  ///< communication that no computation hides
    double idle = 0;     ///< others were not yet as far
    double loading = 0;  ///< images were not yet ready

    double all() const { return compute + exposed + idle + loading; }
};

inline double seconds_between(std::int64_t from, std::int64_t to) {
    return static_cast<double>(to - from) * 1e-9;
}

/// Of one step of one rank, `latest` being when the last rank had its gradient.
inline spent time_of(step_record const& step, std::int64_t latest) {
    auto const waited = seconds_between(step.computed_ns, step.averaged_ns);
    auto const handing = static_cast<double>(step.handing_ns) * 1e-9;
    spent result;
    result.loading = static_cast<double>(step.loading_ns) * 1e-9;
    result.idle = std::clamp(seconds_between(step.computed_ns, latest), 0.0, waited);
    result.exposed = handing + waited - result.idle;
    result.compute =
        seconds_between(step.begin_ns, step.end_ns) - waited - handing - result.loading;
    return result;
}

}  // namespace trainer
