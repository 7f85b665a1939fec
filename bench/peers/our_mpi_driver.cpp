// SPDX-License-Identifier: BSD-3-Clause
// Measures this library over an MPI for coll_perf. Built once with each MPI's own compiler.
#include "our_calls.hpp"

#include <collectives/mpi.hpp>

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    try {
        auto const o = peers::order::read(argc, argv);
        load::inherit();
        auto comm = collectives::mpi::communicator(MPI_COMM_WORLD);
        peers::run_ours(comm, o);
    } catch (std::exception const& e) {
        std::cerr << e.what() << std::endl;
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
}
