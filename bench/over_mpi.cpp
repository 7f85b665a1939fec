// SPDX-License-Identifier: BSD-3-Clause
// over_mpi [ucx]: all_reduce over an MPI (or over UCX, between the same processes) against that
// MPI's own MPI_Allreduce. Compiled with each MPI's own compiler, and started by its launcher:
// bench/over_mpi does both.
#include <collectives/communicator/bootstrap_over.hpp>
#include <collectives/mpi.hpp>
#include <collectives/ucx.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace coll = collectives;

namespace {

constexpr int runs = 7;  // alternating; the medians are compared

double median(std::array<double, runs> values) {
    std::nth_element(values.begin(), values.begin() + runs / 2, values.end());
    return values[runs / 2];
}

/// Seconds per call on the slowest rank.
template <class Call>
double time_of(int calls, Call const& call) {
    MPI_Barrier(MPI_COMM_WORLD);
    auto const begin = MPI_Wtime();
    for (int i = 0; i < calls; ++i) { call(); }
    auto mine = (MPI_Wtime() - begin) / calls;
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return mine;
}

void compare(coll::communicator& comm) {
    auto const prints = comm.rank() == 0;
    if (prints) {
        std::printf("%12s %12s %12s %8s  %s\n", "bytes", "MPI us", "ours us", "speed", "algorithm");
    }
    auto logs = 0.0, worst = std::numeric_limits<double>::infinity();
    auto sizes = 0;
    for (std::size_t bytes = 4; bytes <= std::size_t{64} << 20; bytes *= 4, ++sizes) {
        auto const n = bytes / sizeof(float);
        std::vector<float> const in(n, 1);
        std::vector<float> out(n);
        auto const calls = bytes <= 4096 ? 2000 : bytes <= 65536 ? 300 : bytes <= 1U << 20 ? 40 : 4;
        std::array<double, runs> theirs{}, ours{};
        for (std::size_t r = 0; r < runs; ++r) {
            theirs[r] = time_of(calls, [&] {
                MPI_Allreduce(in.data(), out.data(), static_cast<int>(n), MPI_FLOAT, MPI_SUM,
                              MPI_COMM_WORLD);
            });
            ours[r] = time_of(calls, [&] { comm.all_reduce(in, out); });
        }
        auto const speed = median(theirs) / median(ours);
        logs += std::log(speed);
        worst = std::min(worst, speed);
        auto const name = coll::name(comm.explain(bytes).algorithm);
        if (!prints) { continue; }
        std::printf("%12zu %12.2f %12.2f %8.2f  %s\n", bytes, 1e6 * median(theirs),
                    1e6 * median(ours), speed, name.c_str());
    }
    if (prints) { std::printf("geometric mean %.2f, worst %.2f\n", std::exp(logs / sizes), worst); }
}

}  // namespace

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    {
        auto over_mpi = coll::mpi::communicator(MPI_COMM_WORLD);
        if (argc > 1 && std::string_view(argv[1]) == "ucx") {
            coll::bootstrap_over meeting(over_mpi);
            auto over_ucx = coll::ucx::communicator(meeting);
            compare(over_ucx);
        } else {
            compare(over_mpi);
        }
    }
    MPI_Finalize();
}
