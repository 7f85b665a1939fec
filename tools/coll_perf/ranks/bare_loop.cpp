// SPDX-License-Identifier: BSD-3-Clause
#include "bare_loop.hpp"

#include <cstddef>
#include <utility>

namespace coll_perf {

std::vector<launched::loop_message> messages_of(std::span<collectives::trace_event const> events) {
    constexpr int tags = 32768;  // what every MPI has
    std::vector<launched::loop_message> all;
    std::vector<std::size_t> under_way;  // receives for which nothing has waited yet
    for (std::size_t i = 0; i < events.size(); ++i) {
        auto const& e = events[i];
        launched::loop_message m;
        m.sends = e.action == collectives::verb::send;
        m.peer = e.peer;
        m.tag = e.segment % tags;  // segments may overtake each other
        m.bytes = e.bytes;
        std::vector<std::size_t> rest;
        for (auto const r : under_way) {
            (events[r].end_ns <= e.begin_ns ? m.after : rest).push_back(r);
        }
        under_way = std::move(rest);
        if (!m.sends) { under_way.push_back(i); }
        all.push_back(std::move(m));
    }
    return all;
}

}  // namespace coll_perf
