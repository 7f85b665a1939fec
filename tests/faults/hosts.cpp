// SPDX-License-Identifier: BSD-3-Clause
// Faults of ranks that share hosts, two each.
#include <collectives/launch/hosts.hpp>

#include <faults/harness.hpp>

#include <cstdlib>

namespace faults {

namespace {

void run_pairs(int size, rank_body const& body) {
    ::setenv("COLLECTIVES_RANKS_PER_HOST", "2", 1);
    coll::shm::run(size, [&body](coll::communicator& base) {
        auto comm = coll::bridge_hosts(base);
        body(comm);
    });
}

}  // namespace

kind_of_job const job{run_pairs, true, 40, 0ms, 500ms};

}  // namespace faults
