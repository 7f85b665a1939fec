// SPDX-License-Identifier: BSD-3-Clause
// The ranks of the MPI job that the test program is part of.
#pragma once

#include <collectives/mpi.hpp>

#include <conformance/capabilities.hpp>
#include <conformance/world.hpp>

namespace conformance {

static_assert(capabilities_of<coll::mpi::transport>() == [] {
    auto its = of_every_wire;
    its.some_threads = true;
    return its;
}());

namespace detail {

/// Calls body(communicator of MPI_COMM_WORLD) where it has so many ranks.
template <coll::communicator (*Make)(MPI_Comm)>
void run_launched_ranks(int size, rank_body const& body) {
    if (size < 1) { throw coll::usage_error("no ranks"); }
    int there = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &there);
    if (size != there) { return; }
    auto comm = Make(MPI_COMM_WORLD);
    body(comm);
}

}  // namespace detail

/// Runs what is for as many ranks as there are; the program is launched once for each number.
inline constexpr world over_mpi{"MPI", detail::run_launched_ranks<coll::mpi::communicator>};
/// The same where ranks share hosts: as COLLECTIVES_RANKS_PER_HOST says, which stands in for more
/// machines than one.
inline constexpr world over_hosts{"hosts",
                                  detail::run_launched_ranks<coll::mpi::hierarchical_communicator>};

}  // namespace conformance
