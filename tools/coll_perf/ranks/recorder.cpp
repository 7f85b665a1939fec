// SPDX-License-Identifier: BSD-3-Clause
#include "recorder.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

namespace coll_perf {

std::vector<coll::trace_event> recorder::record(std::function<void()> const& meet,
                                                find_call const& find) {
    if (!told_) { told_.emplace(of_.with(trace_)); }
    auto const call = find(*told_);
    call();  // the first one may plan
    meet();
    trace_.reset();
    call();
    auto const events = trace_.events();
    std::vector<coll::trace_event> mine(events.begin(), events.end());
    std::stable_sort(mine.begin(), mine.end(),
                     [](auto const& a, auto const& b) { return a.begin_ns < b.begin_ns; });
    return mine;
}

std::vector<coll::trace_event> recorder::gather(std::vector<coll::trace_event> const& mine) {
    std::array<std::size_t, 1> const n{mine.size()};
    std::vector<std::size_t> counts(static_cast<std::size_t>(of_.size()));
    of_.all_gather(n, counts);
    auto const sum = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    std::vector<coll::trace_event> all(of_.rank() == 0 ? sum : 0);
    of_.gather(mine, all, counts, 0);
    return all;
}

}  // namespace coll_perf
