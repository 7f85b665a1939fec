// SPDX-License-Identifier: BSD-3-Clause
// start RANKS CALL: rank 1 comes late to a collective call of MPI with which a communicator starts,
// the CALL-th. Each rank that ends in time says so; the launcher's test counts these. Nothing that
// MPI may still use has been freed then, or lies in a frame that is left.
#include <collectives/transport/mpi/link.hpp>

#include <malloc.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <thread>

namespace coll = collectives;
using namespace std::chrono_literals;

namespace {

int late_call = 0;  // 0: this rank is in time
int calls = 0;
std::array<void const*, 2> given{};  // to the last call
std::atomic<bool> freed = false;

/// One more collective call begins, which is given this memory.
void begin_call(void const* in = nullptr, void const* out = nullptr) {
    if (++calls == late_call) { std::this_thread::sleep_for(600ms); }
    given = {in, out};
    freed = false;
}

bool is_on_stack(void const* p) {
    char here = 0;
    auto const distance =
        reinterpret_cast<std::intptr_t>(p) - reinterpret_cast<std::intptr_t>(&here);
    return std::abs(distance) < 1'000'000;
}

void note_free(void* p) {
    if (p == nullptr) { return; }
    auto const first = reinterpret_cast<std::uintptr_t>(p), n = ::malloc_usable_size(p);
    for (auto const* const mine : given) {
        if (reinterpret_cast<std::uintptr_t>(mine) - first < n) { freed = true; }
    }
}

}  // namespace

void operator delete(void* p) noexcept {
    note_free(p);
    std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
    note_free(p);
    std::free(p);
}

extern "C" {

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* result, MPI_Request* r) {
    begin_call(result);
    return PMPI_Comm_idup(comm, result, r);
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* result) {
    begin_call();
    return PMPI_Comm_split_type(comm, type, key, info, result);
}
int MPI_Iallreduce(void const* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* r) {
    begin_call(in, out);
    return PMPI_Iallreduce(in, out, n, type, op, comm, r);
}
int MPI_Ibcast(void* data, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* r) {
    begin_call(data);
    return PMPI_Ibcast(data, n, type, root, comm, r);
}
int MPI_Iallgather(void const* in, int n, MPI_Datatype type, void* out, int m, MPI_Datatype its,
                   MPI_Comm comm, MPI_Request* r) {
    begin_call(in, out);
    return PMPI_Iallgather(in, n, type, out, m, its, comm, r);
}

}  // extern "C"

int main(int argc, char** argv) {
    int level = 0, rank = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    calls = 0;  // an MPI may call itself
    if (rank == 1) { late_call = argc > 2 ? std::atoi(argv[2]) : 0; }
    auto const start = coll::steady::now();
    auto timed_out = false;
    try {
        coll::mpi::link way(MPI_COMM_WORLD, 200ms);
    } catch (coll::timeout_error const& e) {
        timed_out = true;
        std::printf("%s\n", e.what());
    }
    auto stays = !freed;
    auto const seconds = std::chrono::duration<double>(coll::steady::now() - start).count();
    for (auto const* const memory : given) { stays = stays && !is_on_stack(memory); }
    // Rank 1 may find that all is there when it comes.
    auto const in_time = rank == 1 ? seconds < 1.0 : timed_out && seconds < 0.4;
    std::printf("rank %d %s after %.3f s%s\n", rank, in_time ? "has ended" : "is late", seconds,
                !timed_out || stays ? "" : ", and MPI uses memory that is gone");
    std::fflush(stdout);
    for (auto const until = start + 2s; coll::steady::now() < until;) {  // MPI moves on
        int there = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    }
    ::_exit(0);  // MPI cannot be ended in order with calls under way
}
