// SPDX-License-Identifier: BSD-3-Clause
// rank ALGORITHM BYTES SEGMENT CALLS: all-reduces of floats over MPI, one untimed and then so many,
// each after a barrier. SEGMENT as in coll::options: 0 for one, -1 for the library's choice. Rank 0
// prints `seconds S calls N`: the median of the slowest ranks', and how many there were.
#include "../../tools/load/inherit.hpp"

#include <collectives/mpi.hpp>

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>
#include <vector>

namespace coll = collectives;

namespace {

int run(std::span<char*> given) {
    if (given.size() != 5) { throw coll::usage_error("ALGORITHM BYTES SEGMENT CALLS"); }
    load::inherit();
    auto comm = coll::mpi::communicator(MPI_COMM_WORLD);
    auto const segment = std::atoll(given[3]);
    auto const calls = std::atoi(given[4]);
    coll::options how{.algorithm = coll::parse_algorithm(given[1])};
    how.segment = segment < 0 ? coll::chosen_segment : static_cast<std::size_t>(segment);
    std::vector<float> in(std::strtoull(given[2], nullptr, 10) / sizeof(float)), out(in.size());
    auto const me = static_cast<float>(comm.rank());
    for (std::size_t i = 0; i < in.size(); ++i) { in[i] = me + static_cast<float>(i % 1000); }
    std::vector<double> times;
    for (int c = 0; c <= calls; ++c) {
        comm.barrier();
        auto const start = MPI_Wtime();
        comm.all_reduce(in, out, coll::sum{}, how);
        times.push_back(MPI_Wtime() - start);
    }
    comm.all_reduce(times, coll::max{});
    auto const n = static_cast<float>(comm.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (out[i] != n * static_cast<float>(i % 1000) + n * (n - 1) / 2) {
            throw coll::error("a wrong sum");
        }
    }
    std::sort(times.begin() + 1, times.end());  // the first is not counted
    if (comm.rank() == 0) {
        std::printf("seconds %.9f calls %d\n", times[1 + static_cast<std::size_t>(calls) / 2],
                    calls + 1);
    }
    return 0;
}

/// Ends the job once all ranks are here. MPI_Finalize of MPICH 4.0 over UCX and TCP often does not
/// return: one rank waits for an acknowledgement of a peer that is in there already, waits for the
/// launcher and looks at no messages. Who is aborted with 0 has ended well, to the launcher too.
[[noreturn]] void end_job(int rank) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) { MPI_Abort(MPI_COMM_WORLD, 0); }
    for (;;) {
        int flag = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        timespec const nap{0, 100'000};
        ::nanosleep(&nap, nullptr);
    }
}

}  // namespace

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    try {
        run(std::span(argv, static_cast<std::size_t>(argc)));
    } catch (std::exception const& e) {
        std::fprintf(stderr, "%s\n", e.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    std::fflush(stdout);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    end_job(rank);
}
