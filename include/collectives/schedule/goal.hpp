// SPDX-License-Identifier: BSD-3-Clause
// Writes schedules as GOAL text, which LogGOPSim simulates on networks of any size.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/schedule/cost.hpp>
#include <collectives/schedule/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>

namespace collectives::inline v0 {

namespace detail {

/// The text of one rank. The steps of a round require the `calc` that ended the round before. The
/// next round requires them in turn. A calc takes as long as the additions of its round.
inline std::string goal_of(schedule const& own, std::uint64_t bytes, double ns_per_reduced_byte) {
    std::string out;
    auto const line = [&out](auto const&... parts) {
        out += text_of(parts...);
        out += '\n';
    };
    line("rank ", own.rank, " {");
    std::size_t label = 0, before = 0;  // before: the calc that ended the last round; 0: none
    for (std::size_t i = 0; i < own.steps.size();) {
        auto const first = label + 1;
        auto const round = own.steps[i].round;
        std::uint64_t reduced = 0;
        for (; i < own.steps.size() && own.steps[i].round == round; ++i) {
            auto const& s = own.steps[i];
            auto const n = bytes_of(s.chunks, own.chunks, bytes);
            auto const sends = s.what == verb::send;
            if (s.what == verb::recv_reduce) { reduced += n; }
            line("l", ++label, sends ? ": send " : ": recv ", n, sends ? "b to " : "b from ",
                 s.peer, " tag ", round);
            if (before != 0) { line("l", label, " requires l", before); }
        }
        auto const last = label;
        auto const time = static_cast<double>(reduced) * ns_per_reduced_byte;
        if (!(time >= 0 && time < 0x1p63)) {
            throw usage_error(text_of("rank ", own.rank, " adds ", reduced,
                                      " bytes in a round, for a time that cannot be written"));
        }
        line("l", ++label, ": calc ", static_cast<std::uint64_t>(time + 0.5));
        for (auto l = first; l <= last; ++l) { line("l", label, " requires l", l); }
        before = label;
    }
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
