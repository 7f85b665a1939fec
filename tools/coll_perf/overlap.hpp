// SPDX-License-Identifier: BSD-3-Clause
// How much of a started call a rank's work hides, as the OSU benchmarks of non-blocking collectives
// define it.
#pragma once

#include "sampling.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace coll_perf {

/// Computes for so long.
inline void compute_for(double seconds) {
    double value = 1;
    for (auto const start = timer::now(); seconds_since(start) < seconds;) {
        for (int i = 0; i < 8; ++i) { value = value * 1.0000001 + 1e-9; }
    }
    double volatile kept = value;
    static_cast<void>(kept);
}

/// `pure`: nanoseconds of the call alone, mean over the ranks, known to rank 0. Each rank starts
/// the call by `start`, computes as long as the call takes alone, looks at the call `tests` times
/// meanwhile, and waits for it. Gives rank 0 the percentage hidden,
/// max(0, 1 - (whole - work) / pure), and the nanoseconds of the whole and of the work.
template <class Meeting, class Start>
std::vector<double> measure_overlap(Meeting& meeting, int rank, int ranks, int iterations,
                                    double pure, int tests, Start const& start) {
    pure = static_cast<double>(meeting.agree(rank, static_cast<std::uint64_t>(pure)));
    auto const part = pure / 1e9 / (tests + 1);
    for (int i = 0; i < iterations; ++i) {
        meeting.meet();
        double work = 0;
        auto const begin = timer::now();
        auto pending = start();
        for (int t = 0; t <= tests; ++t) {
            if (t > 0) { static_cast<void>(pending.test()); }
            auto const before = timer::now();
            compute_for(part);
            work += seconds_since(before);
        }
        pending.wait();
        meeting.time(figure::whole, rank, i) = seconds_since(begin);
        meeting.time(figure::work, rank, i) = work;
    }
    meeting.collect();
    double whole = 0, work = 0;
    for (int r = 0; r < ranks && rank == 0; ++r) {
        whole += mean(meeting, figure::whole, r, iterations) * 1e9 / ranks;
        work += mean(meeting, figure::work, r, iterations) * 1e9 / ranks;
    }
    meeting.meet();  // the next case overwrites the times
    auto const hidden = pure > 0 ? 100 * (1 - (whole - work) / pure) : 0;
    return {std::max(0., hidden), whole, work};
}

/// The same for the call that `one` has sampled, which took `alone` by itself.
template <class Meeting, class Sampling>
std::vector<double> measure_overlap(Meeting& meeting, int rank, settings const& how, Sampling& one,
                                    case_result const& alone) {
    double pure = 0;
    for (auto const t : alone.ranks) { pure += t / how.ranks; }
    return measure_overlap(meeting, rank, how.ranks, one.iterations(), pure, how.tests,
                           [&] { return one.start(); });
}

}  // namespace coll_perf
