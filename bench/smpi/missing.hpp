// SPDX-License-Identifier: BSD-3-Clause
// What SimGrid's SMPI 3.32 lacks of MPI 3, defined in the program that runs on it: there a
// program's own functions come before the simulator's. To be included once, before all others.
#pragma once

#include <mpi.h>

#include <chrono>

/// Who waits naps between two looks. What it waits for wakes it in the simulation (waiting.hpp), so
/// that naps would only add to simulated time: they are a thousandth.
#undef nanosleep
#define nanosleep(wanted, left) short_nap(wanted)
inline int short_nap(timespec const* wanted) {
    timespec const nap{0, wanted->tv_sec == 0 ? wanted->tv_nsec / 1000 + 1 : 1'000'000};
    return smpi_nanosleep(&nap, nullptr);
}

/// The library's clock, which times out and asks peers what they are at, is that of the simulation:
/// found before the standard library's.
std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
    timespec t{};
    smpi_clock_gettime(CLOCK_MONOTONIC, &t);
    return time_point(std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec));
}

extern "C" {

/// SMPI says "not yet implemented" and aborts.
int MPI_Comm_idup(MPI_Comm base, MPI_Comm* made, MPI_Request* request) {
    *request = MPI_REQUEST_NULL;
    return MPI_Comm_dup(base, made);
}

/// SMPI says that no rank is its main thread; each is a thread of the simulator's.
int MPI_Is_thread_main(int* flag) {
    *flag = 1;
    return MPI_SUCCESS;
}

}  // extern "C"
