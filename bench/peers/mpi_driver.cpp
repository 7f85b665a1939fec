// SPDX-License-Identifier: BSD-3-Clause
// Measures an MPI for coll_perf. Built once with each MPI's own compiler.
#include "driver.hpp"

#include "../../tools/coll_perf/ranks/mpi_peer.hpp"

#include <mpi.h>

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    try {
        auto const o = peers::order::read(argc, argv);
        // Where the launcher has put it, if it counts as hwloc does.
        peers::bind_rank(o.how.places, rank);
        launched::mpi_calls const calls(ranks);
        peers::run(o, rank, ranks, [&](peers::measured_case const& c) {
            return coll_perf::mpi_peer_call(calls, c);
        });
    } catch (std::exception const& e) {
        std::cerr << e.what() << std::endl;
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
}
