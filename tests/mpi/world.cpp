// SPDX-License-Identifier: BSD-3-Clause
// What test programs over MPI have in common, compiled once with each MPI.
#define DOCTEST_CONFIG_IMPLEMENT
#include <mpi/world.hpp>

#include <collectives/mpi.hpp>
#include <collectives/transport/mpi/transport.hpp>

#include <conformance/capabilities.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

namespace conformance {

static_assert(capabilities_of<coll::mpi::transport>() == [] {
    auto its = of_every_wire;
    its.some_threads = true;
    return its;
}());

namespace {

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

}  // namespace

constinit world const over_mpi{"MPI", run_launched_ranks<coll::mpi::communicator>};
constinit world const over_hosts{"hosts", run_launched_ranks<coll::mpi::hierarchical_communicator>};

coll::communicator communicator_of(MPI_Comm ranks) { return coll::mpi::communicator(ranks); }

int run_launched(int argc, char** argv, int threads) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, threads, &level);
    int size = 0, rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 2 || std::atoi(argv[1]) != size) {
        std::fprintf(stderr, "%s was launched with %s ranks, but finds %d\n", argv[0],
                     argc < 2 ? "no number of" : argv[1], size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    doctest::Context context(argc - 1, argv + 1);
    launcher_chose_size = true;
    auto const result = context.run();
    if (result != 0) { MPI_Abort(MPI_COMM_WORLD, result); }
    MPI_Finalize();
    return result;
}

}  // namespace conformance
