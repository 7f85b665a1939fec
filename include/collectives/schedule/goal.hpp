// SPDX-License-Identifier: BSD-3-Clause
// Writes schedules as GOAL text, which LogGOPSim simulates on networks of any size.
#pragma once

#include <collectives/core/text.hpp>
#include <collectives/schedule/schedule.hpp>
#include <collectives/schedule/task_graph.hpp>

#include <cstdint>
#include <ostream>
#include <span>
#include <string>

namespace collectives::inline v0 {

namespace detail {

/// The text of one rank. A calc takes as long as the additions of its round.
inline std::string goal_of(schedule const& own, std::uint64_t bytes, double ns_per_reduced_byte) {
    std::string out;
    auto const line = [&out](auto const&... parts) {
        add_text(out, parts...);
        out += '\n';
    };
    line("rank ", own.rank, " {");
    each_task(own, bytes, [&](task const& t) {
        if (t.what == task::kind::add) {
            line("l", t.number, ": calc ", whole_time(t, own.rank, ns_per_reduced_byte));
        } else {
            auto const sends = t.what == task::kind::send;
            line("l", t.number, sends ? ": send " : ": recv ", t.bytes, sends ? "b to " : "b from ",
                 t.peer, " tag ", t.round);
        }
        if (t.first_awaited == 0) { return; }
        for (auto l = t.first_awaited; l <= t.last_awaited; ++l) {
            line("l", t.number, " requires l", l);
        }
    });
    line("}");
    return out;
}

}  // namespace detail

/// Writes the schedules of all ranks, which belong together, as a GOAL schedule of LogGOPSim: what
/// goes to whom, and what waits for what. `bytes` is the vector, as in `cost_of`, whose totals are
/// those of the file. The network's prices are options of LogGOPSim; the price of adding is in the
/// file. Hoefler, Schneider, Lumsdaine, LogGOPSim: Simulating Large-Scale Applications in the
/// LogGOPS Model, LSAP 2010. Throws usage_error where a time is negative or more than the text can
/// say.
inline void write_goal(std::ostream& out, std::span<schedule const> ranks, std::uint64_t bytes,
                       double ns_per_reduced_byte = 0) {
    out << "num_ranks " << std::to_string(ranks.size()) << '\n';
    for (auto const& own : ranks) {
        out << '\n' << detail::goal_of(own, bytes, ns_per_reduced_byte);
    }
}

}  // namespace collectives
