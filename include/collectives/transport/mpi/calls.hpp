// SPDX-License-Identifier: BSD-3-Clause
// Calls of MPI whose errors are exceptions and whose waits end.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>

#include <mpi.h>

#include <chrono>
#include <memory>
#include <thread>

namespace collectives::inline v0::mpi::detail {

/// Between two looks at something that has not happened yet.
inline constexpr std::chrono::nanoseconds shortest_nap = std::chrono::microseconds(20);
inline constexpr std::chrono::nanoseconds longest_nap = std::chrono::milliseconds(1);

/// Throws transport_error with what MPI says, unless the call succeeded.
inline void require(int status, char const* call) {
    if (status == MPI_SUCCESS) { return; }
    char text[MPI_MAX_ERROR_STRING + 1] = {};
    int length = 0;
    MPI_Error_string(status, text, &length);
    throw transport_error(text_of(call, ": ", static_cast<char const*>(text)));
}

inline bool is_usable() {
    int begun = 0, ended = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    return begun != 0 && ended == 0;
}

/// Whether threads may call MPI, one at a time.
inline bool is_for_any_thread() {
    int level = 0;
    require(MPI_Query_thread(&level), "MPI_Query_thread");
    return level >= MPI_THREAD_SERIALIZED;
}

/// Throws usage_error unless this thread may call MPI now.
inline void require_thread() {
    if (!is_usable()) {
        throw usage_error("mpi::communicator: MPI is not initialised, or has been finalised");
    }
    int is_main = 0;
    require(MPI_Is_thread_main(&is_main), "MPI_Is_thread_main");
    if (is_main == 0 && !is_for_any_thread()) {
        throw usage_error("mpi::communicator: MPI was initialised for its main thread alone");
    }
}

/// Returns once `r` has completed; throws timeout_error at `until`.
inline void wait_for(MPI_Request& r, steady::time_point until, char const* what) {
    for (int done = 0;;) {
        require(MPI_Test(&r, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done != 0) { return; }
        if (steady::now() >= until) {
            throw timeout_error(text_of("mpi::communicator: time ran out in ", what), {});
        }
        std::this_thread::sleep_for(shortest_nap);
    }
}

/// A duplicate whose calls return their errors. Collective.
inline MPI_Comm duplicate(MPI_Comm base, steady::time_point until) {
    auto result = std::make_unique<MPI_Comm>(MPI_COMM_NULL);
    MPI_Request r = MPI_REQUEST_NULL;
    require(MPI_Comm_idup(base, result.get(), &r), "MPI_Comm_idup");
    try {
        wait_for(r, until, "MPI_Comm_idup");
    } catch (...) {
        static_cast<void>(result.release());  // MPI writes there when the last rank comes
        throw;
    }
    require(MPI_Comm_set_errhandler(*result, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    return *result;
}

}  // namespace collectives::mpi::detail
