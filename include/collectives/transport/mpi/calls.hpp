// SPDX-License-Identifier: BSD-3-Clause
// Calls of MPI whose errors are exceptions and whose waits end.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/growing_nap.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/core/types.hpp>
#include <collectives/core/without_cancellation.hpp>
#include <collectives/transport/mpi/header.hpp>
#include <collectives/transport/wire/grace.hpp>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

namespace collectives::inline v0::mpi::detail {

/// Throws transport_error with what MPI says, unless the call succeeded.
inline void require(int status, char const* call) {
    if (status == MPI_SUCCESS) { return; }
    char text[MPI_MAX_ERROR_STRING + 1] = {};
    int length = 0;
    MPI_Error_string(status, text, &length);
    throw_error<transport_error>(call, ": ", static_cast<char const*>(text));
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

/// The MPI that this program is compiled with.
#if defined(OPEN_MPI)
inline constexpr char const* own_mpi = "Open MPI";
#elif defined(MPICH_VERSION)
inline constexpr char const* own_mpi = "MPICH";
#else
inline constexpr char const* own_mpi = "its library";
#endif
/// What it sends without asking the receiver first, where two such messages take less time than one
/// of twice the length; 0 where they do not.
#if defined(OPEN_MPI)
inline constexpr std::size_t eager_bytes = 3840;
#else
inline constexpr std::size_t eager_bytes = 0;
#endif

/// Throws usage_error where the launcher of another MPI has started this program, as one rank of
/// several, and says so: MPI then gives each rank a world of its own, and each would compute alone.
inline void require_own_launcher() {
    int size = 1;
    require(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
    char const* other = nullptr;
    for (auto const* const variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
        auto const* const said = std::getenv(variable);
        if (said == nullptr) { continue; }
        if (std::string_view(said) == "1") { return; }  // its own launcher, within a job or not
        other = variable;
    }
    if (size == 1 && other != nullptr) {
        throw_error<usage_error>(
            "mpi::communicator: MPI_COMM_WORLD has 1 rank, but ", other, " is ",
            static_cast<char const*>(std::getenv(other)), ": use the launcher of ", own_mpi,
            ", the MPI of this program, or unset ", other, " if one rank is meant");
    }
}

/// Throws usage_error unless this thread may call MPI now, in a job of the right launcher, and
/// `ranks` are the ranks of one group. MPI itself would end the job for these mistakes.
inline void require_usable(MPI_Comm ranks) {
    if (!is_usable()) {
        throw usage_error("mpi::communicator: MPI is not initialised, or has been finalised");
    }
    int is_main = 0;
    require(MPI_Is_thread_main(&is_main), "MPI_Is_thread_main");
    if (is_main == 0 && !is_for_any_thread()) {
        throw usage_error("mpi::communicator: MPI was initialised for its main thread alone");
    }
    if (ranks == MPI_COMM_NULL) {
        throw usage_error(
            "mpi::communicator: MPI_COMM_NULL has no ranks; MPI_Comm_split gives it "
            "to a rank of colour MPI_UNDEFINED");
    }
    int is_inter = 0;
    require(MPI_Comm_test_inter(ranks, &is_inter), "MPI_Comm_test_inter");
    if (is_inter != 0) {
        throw usage_error(
            "mpi::communicator: an intercommunicator has two groups of ranks; "
            "MPI_Intercomm_merge makes one of them");
    }
    require_own_launcher();
}

/// Returns once `r`, a call of all ranks of `comm`, has completed; throws timeout_error at `until`.
/// MPI then still uses `memory` when the last rank comes, so that stays for ever.
template <class T>
void wait_for(MPI_Request& r, std::unique_ptr<T>& memory, MPI_Comm comm, steady::time_point until,
              char const* call) {
    try {
        for (int done = 0;;) {
            require(MPI_Test(&r, &done, MPI_STATUS_IGNORE), "MPI_Test");
            if (done != 0) { return; }
            if (steady::now() >= until) {
                int rank = -1;
                MPI_Comm_rank(comm, &rank);
                throw timeout_error(
                    text_of("rank ", rank, ", mpi::communicator: time ran out in ", call), {});
            }
            collectives::detail::sleep_in_call(collectives::detail::growing_nap::shortest);
        }
    } catch (...) {
        static_cast<void>(memory.release());
        throw;
    }
}

/// A duplicate whose calls return their errors. Collective.
inline MPI_Comm duplicate(MPI_Comm base, steady::time_point until) {
    auto result = std::make_unique<MPI_Comm>(MPI_COMM_NULL);
    MPI_Request r = MPI_REQUEST_NULL;
    require(MPI_Comm_idup(base, result.get(), &r), "MPI_Comm_idup");
    wait_for(r, result, base, until, "MPI_Comm_idup");
    require(MPI_Comm_set_errhandler(*result, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    return *result;
}

/// What each rank of `comm` gives, by rank. Collective.
template <class T>
lean_vector<T> all_gather(T const& mine, MPI_Comm comm, steady::time_point until) {
    static_assert(std::is_trivially_copyable_v<T>);
    struct exchange {
        T mine;
        lean_vector<T> all;
    };
    int size = 1;
    require(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    auto under_way =
        std::make_unique<exchange>(exchange{mine, lean_vector<T>(static_cast<std::size_t>(size))});
    constexpr auto n = static_cast<int>(sizeof(T));
    MPI_Request r = MPI_REQUEST_NULL;
    require(
        MPI_Iallgather(&under_way->mine, n, MPI_BYTE, under_way->all.data(), n, MPI_BYTE, comm, &r),
        "MPI_Iallgather");
    wait_for(r, under_way, comm, until, "MPI_Iallgather");
    return std::move(under_way->all);
}

inline MPI_Request post_send(std::byte const* data, std::size_t bytes, rank_t to, int tag,
                             MPI_Comm over) {
    MPI_Request r = MPI_REQUEST_NULL;
    auto const n = static_cast<int>(bytes);
    require(MPI_Isend(data, n, MPI_BYTE, to, tag, over, &r), "MPI_Isend");
    return r;
}

inline MPI_Request post_receive(std::byte* data, std::size_t bytes, rank_t from, int tag,
                                MPI_Comm over) {
    MPI_Request r = MPI_REQUEST_NULL;
    auto const n = static_cast<int>(bytes);
    require(MPI_Irecv(data, n, MPI_BYTE, from, tag, over, &r), "MPI_Irecv");
    return r;
}

/// Ends a request early: calls a receive back, if MPI can. False if it had not ended at the given
/// time; then it is left to itself.
inline bool take_back(MPI_Request& r, bool receives, wire::grace const& time) {
    if (r == MPI_REQUEST_NULL) { return true; }
    if (receives) { MPI_Cancel(&r); }
    int done = 0;
    for (int turn = 0; done == 0 && (turn < 100 || !time.is_over()); ++turn) {
        if (MPI_Test(&r, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) { break; }
        if (turn <= 100) { continue; }
        time.pause();
        collectives::detail::sleep_in_call(collectives::detail::growing_nap::shortest);
    }
    if (done == 0) { MPI_Request_free(&r); }
    return done != 0;
}

}  // namespace collectives::mpi::detail
