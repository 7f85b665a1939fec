// SPDX-License-Identifier: BSD-3-Clause
// What the tests of ranks that go have in common.
#pragma once

#include <faults/observed.hpp>
#include <faults/variety.hpp>

#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <vector>

namespace faults {

/// The others got peer_lost_error of rank `lost`, at most half a second after `when`.
inline void check_lost(stories& of, int lost, double when) {
    int rank = -1;
    for (auto const& s : of) {
        if (++rank == lost) { continue; }
        auto const& e = s.error();
        CAPTURE(rank);
        CAPTURE(e.what());
        CHECK_EQ(e.caught, outcome::peer_lost);
        CHECK_EQ(e.peer, lost);
        CHECK(e.says("rank " + std::to_string(lost)));
        CHECK_LT(e.ended - when, 0.5 * slowness);
        for (auto const& seen : s.later) { CHECK_EQ(seen.caught, outcome::peer_lost); }
        CHECK_LT(s.quickest_later, 0.01 * slowness);
    }
}

inline void check_run_error(observation const& ending, int rank, char const* how) {
    CAPTURE(ending.what());
    CHECK_EQ(ending.caught, outcome::run);
    CHECK_EQ(ending.peer, rank);
    CHECK(ending.says(how));
}

/// Notes the time and ends this process as hard as can be.
[[noreturn]] inline void die(double& when) {
    when = seconds_now();
    ::kill(::getpid(), SIGKILL);
    for (;;) { ::pause(); }
}

/// How long the ranks may take to go on once the last has called `shrink`.
inline double most_seconds_to_go_on() { return (job.control_time == 0ms ? 0.1 : 2) * slowness; }

/// Ends this rank as a loss: a process by a signal, which cannot say goodbye.
inline void die() {
    if (job.processes) { ::raise(SIGKILL); }
}
/// Runs a job that may lose processes.
inline void run_with_losses(int size, rank_body const& body) {
    observation ending;
    observe(ending, [&] { job.run(size, body); });
    if (!job.processes) { CHECK_EQ(ending.caught, outcome::result); }
}

/// A few rounds of all_reduce; before one of them, rank v.odd calls depart().
template <class Depart>
void loop(coll::communicator& comm, variant const& v, int rounds, Depart const& depart) {
    std::vector<int> data(v.count);
    for (int i = 0; i <= rounds; ++i) {
        if (i == rounds && comm.rank() == v.odd) { depart(); }
        comm.all_reduce(data, coll::sum{}, v.how);
    }
}

/// Makes the rank at fault one that calls the operator.
inline void prepare_for_operator(variant& v) {
    v.count += 5;
    if (coll::name(v.how.algorithm) == "automatic") { v.how.algorithm = coll::two_shot{}; }
    auto const cost = v.how.algorithm.cost_of(v.size, v.count * sizeof(int));
    while (cost.ranks[static_cast<std::size_t>(v.odd)].reduced == 0) {
        v.odd = (v.odd + 1) % v.size;
    }
}

}  // namespace faults
