// SPDX-License-Identifier: BSD-3-Clause
// all_reduce BYTES... : each algorithm on SimGrid's SMPI, over the transport for MPI as it is. Rank
// 0 prints rows of CSV: the slowest rank's simulated time.
#include "missing.hpp"
#include "waiting.hpp"

#include <collectives/mpi.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace coll = collectives;

namespace {

/// Returns on all ranks at one moment of simulated time, and gives it: they share a clock. After a
/// barrier ranks would begin one after the other, as long apart as the shortest all-reduces take.
double begin_together(coll::communicator& comm) {
    double start = MPI_Wtime();
    comm.all_reduce(std::span(&start, 1), coll::max{});
    start += 1e-3;
    timespec const rest{0, static_cast<long>((start - MPI_Wtime()) * 1e9)};
    smpi_nanosleep(&rest, nullptr);
    return MPI_Wtime();
}

/// Seconds; -1 where the sum is wrong.
double measure(coll::communicator& comm, coll::any_algorithm a, std::size_t bytes) {
    std::vector<float> data(bytes / sizeof(float), static_cast<float>(comm.rank()));
    auto const start = begin_together(comm);
    comm.all_reduce(data, coll::sum{}, {.algorithm = a, .segment = 0});
    double took = MPI_Wtime() - start;
    auto const p = static_cast<float>(comm.size());
    for (auto const value : data) {
        if (value != p * (p - 1) / 2) { took = 1e9; }
    }
    comm.all_reduce(std::span(&took, 1), coll::max{});
    return took < 1e9 ? took : -1;
}

/// For one_shot each rank holds a vector of every other: all of them together must fit one machine.
bool fits(coll::any_algorithm a, int ranks, std::size_t bytes) {
    constexpr std::size_t most = std::size_t{1} << 30;
    auto const n = static_cast<std::size_t>(ranks);
    return !a.is<coll::one_shot>() || n * n * bytes <= most;
}

int run(std::span<char*> sizes) {
    auto comm = coll::mpi::communicator(MPI_COMM_WORLD);
    for (auto const* const size : sizes) {
        auto const bytes = std::strtoull(size, nullptr, 10) / sizeof(float) * sizeof(float);
        for (auto const a : coll::all_algorithms) {
            if (!fits(a, comm.size(), bytes)) { continue; }
            auto const seconds = measure(comm, a, bytes);
            if (seconds < 0) {
                std::fprintf(stderr, "rank %d: a wrong sum by %s\n", comm.rank(),
                             coll::name(a).c_str());
                return 1;
            }
            if (comm.rank() == 0) {
                std::printf("smpi,all_reduce,%s,float,sum,%d,%llu,0,private,%.3f\n",
                            coll::name(a).c_str(), comm.size(), bytes, seconds * 1e6);
            }
        }
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    auto const status = run(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
    std::fflush(stdout);
    MPI_Finalize();
    return status;
}
