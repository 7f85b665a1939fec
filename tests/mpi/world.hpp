// SPDX-License-Identifier: BSD-3-Clause
// The ranks of the MPI job that the test program is part of.
#pragma once

#include <collectives/mpi.hpp>

#include <conformance/world.hpp>

namespace conformance {

/// Runs what is for as many ranks as there are; the program is launched once for each number.
struct over_mpi {
    template <class F>
    static void run(int size, F const& f) {
        if (size < 1) { throw coll::usage_error("no ranks"); }
        int there = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &there);
        if (size != there) { return; }
        coll::mpi::communicator comm(MPI_COMM_WORLD);
        f(comm);
    }
};

/// The same where ranks share hosts: as COLLECTIVES_RANKS_PER_HOST says, which stands in for more
/// machines than one.
struct over_hosts {
    template <class F>
    static void run(int size, F const& f) {
        if (size < 1) { throw coll::usage_error("no ranks"); }
        int there = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &there);
        if (size != there) { return; }
        coll::mpi::hierarchical_communicator comm(MPI_COMM_WORLD);
        f(comm);
    }
};

}  // namespace conformance
