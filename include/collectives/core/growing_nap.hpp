// SPDX-License-Identifier: BSD-3-Clause
// How long a thread sleeps that looks for something again and again.
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

namespace collectives::inline v0::detail {

/// A nap that takes twice as long each time, up to a limit.
class growing_nap {
public:
    using time = std::chrono::nanoseconds;
    static constexpr time shortest = std::chrono::microseconds(20);
    static constexpr time longest = std::chrono::milliseconds(1);

    explicit growing_nap(time first = shortest, time most = longest)
        : first_(first), most_(most), next_(first) {}
    /// How long this nap takes.
    time next() { return std::exchange(next_, std::min(2 * next_, most_)); }
    /// What was looked for is there: the next nap is the shortest.
    void reset() { next_ = first_; }

private:
    time first_, most_, next_;
};

}  // namespace collectives::detail
