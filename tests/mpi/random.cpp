// SPDX-License-Identifier: BSD-3-Clause
// Random programs of collectives over MPI: all ranks draw the same ones, from a seed of rank 0.
#include <mpi/world.hpp>
#include <property/suites.hpp>
#include <test_sampling.hpp>

#include <sanitizer/lsan_interface.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

int main(int argc, char** argv) {
    int level = 0, size = 0, rank = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    auto seed = static_cast<long>(std::time(nullptr));
    MPI_Bcast(&seed, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    ::setenv("RC_PARAMS", ("seed=" + std::to_string(seed)).c_str(), 0);
    auto status = argc == 2 && std::atoi(argv[1]) == size ? 0 : 1;
    if (status == 0) {
        status = random_programs::main_with(
            "mpi", [&](int wanted, random_programs::rank_body const& rank_body) {
                auto const there = std::min(wanted, size);
                MPI_Comm some = MPI_COMM_NULL;
                MPI_Comm_split(MPI_COMM_WORLD, rank < there ? 0 : MPI_UNDEFINED, rank, &some);
                if (some == MPI_COMM_NULL) { return; }
                try {
                    auto comm = conformance::communicator_of(some);
                    rank_body(comm);
                } catch (
                    std::exception const& e) {  // there is no smaller program without the others
                    std::fprintf(stderr, "%d ranks: %s\n", there, e.what());
                    MPI_Abort(MPI_COMM_WORLD, 1);
                }
                MPI_Comm_free(&some);
            });
    }
    if (status != 0) { MPI_Abort(MPI_COMM_WORLD, status); }
    if constexpr (sampling::sanitized) {
        __lsan_do_leak_check();  // MPI's plugins go with MPI_Finalize; their leaks have no name
                                 // then
    }
    MPI_Finalize();
}
