// SPDX-License-Identifier: BSD-3-Clause
// The main program of tests that an MPI launcher starts. The first argument is the number of ranks
// it was launched with: a launcher of another MPI starts as many programs of one rank each, which
// must not pass.
#pragma once

#include <conformance/world.hpp>

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

namespace conformance {

inline int run_launched(int argc, char** argv, int threads = MPI_THREAD_FUNNELED) {
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
