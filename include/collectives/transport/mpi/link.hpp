// SPDX-License-Identifier: BSD-3-Clause
// Messages over MPI: non-blocking calls only, on duplicates of the given communicator, one for data
// and one for words.
#pragma once

#include <collectives/core/fingerprint.hpp>
#include <collectives/transport/mpi/calls.hpp>
#include <collectives/transport/wire/link.hpp>
#include <collectives/transport/wire/processors.hpp>

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

namespace collectives::inline v0::mpi {

namespace detail {

/// What a rank tells all others at the start.
struct introduction {
    wire::rank_processors processors;
    std::uint64_t job = 0;  // that of rank 0 counts

    static introduction of_this_process() {
        std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
        int length = 0;
        require(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
        auto const moment = static_cast<std::uint64_t>(steady::now().time_since_epoch().count());
        return {wire::rank_processors::of_this_process(name.data()),
                mix(moment, static_cast<std::uint64_t>(::getpid()))};
    }
};

}  // namespace detail

/// Models wire::link. Of a 64-bit tag MPI carries the lower bits: calls that differ meet with a
/// probability of one in the largest tag (at least 32767, mostly 2^28 or more).
class link {
public:
    struct handle {
        MPI_Request request = MPI_REQUEST_NULL;
        bool receives = false;
    };

    /// Collective. Throws usage_error where MPI is not initialised or this thread may not call it,
    /// timeout_error where ranks are missing; the duplicates then stay, since only all ranks
    /// together can free them.
    link(MPI_Comm base, std::chrono::nanoseconds time) {
        detail::require_thread();
        auto const until =
            steady::now() + std::min<std::chrono::nanoseconds>(time, std::chrono::hours(24 * 365));
        data_ = detail::duplicate(base, until);
        control_ = detail::duplicate(base, until);
        detail::require(MPI_Comm_rank(data_, &rank_), "MPI_Comm_rank");
        detail::require(MPI_Comm_size(data_, &size_), "MPI_Comm_size");
        int* most = nullptr;
        int found = 0;
        // Only the world is sure to know it; for others Open MPI finds nothing.
        detail::require(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found),
                        "MPI_Comm_get_attr");
        tags_ = static_cast<std::uint64_t>(found != 0 ? *most : 32767) + 1;
        auto const all = detail::all_gather(detail::introduction::of_this_process(), data_, until);
        job_ = all.front().job;
        std::vector<wire::rank_processors> processors;
        for (auto const& one : all) { processors.push_back(one.processors); }
        processors_ = wire::shared_processors(processors);
    }
    link(link const&) = delete;
    link& operator=(link const&) = delete;

    rank_t rank() const { return rank_; }
    int size() const { return size_; }
    int processors() const { return processors_; }
    /// MPI uses the numbers of communicators that were freed again.
    std::uint64_t job() const { return job_; }

    /// MPI counts in int. And from about 4 KiB on it asks the receiver before it sends, which for a
    /// few of these takes longer than to send them in pieces below that: where both sides know the
    /// size, else one might take the first piece for all.
    std::size_t largest_piece(std::size_t bytes, bool agreed) const {
        constexpr std::size_t eager = 3840, few = 16 * 1024, most = std::size_t{1} << 30;
        return agreed && bytes > eager && bytes <= few ? eager : most;
    }

    handle send(std::byte const* data, std::size_t bytes, rank_t to, std::uint64_t tag) {
        return {detail::post_send(data, bytes, to, static_cast<int>(tag % tags_), data_)};
    }
    handle receive(std::byte* data, std::size_t bytes, rank_t from, std::uint64_t tag) {
        return {detail::post_receive(data, bytes, from, static_cast<int>(tag % tags_), data_),
                true};
    }
    handle send_control(std::byte const* data, std::size_t bytes, rank_t to) {
        return {detail::post_send(data, bytes, to, 0, control_)};
    }
    handle receive_control(std::byte* data, std::size_t bytes) {
        return {detail::post_receive(data, bytes, MPI_ANY_SOURCE, 0, control_), true};
    }
    bool test(handle& h, wire::arrival& in) {
        int done = 0;
        MPI_Status status;
        auto const result = MPI_Test(&h.request, &done, &status);
        if (result != MPI_SUCCESS) {
            int kind = 0;
            MPI_Error_class(result, &kind);
            if (!h.receives || kind != MPI_ERR_TRUNCATE) { detail::require(result, "MPI_Test"); }
            h.request = MPI_REQUEST_NULL;
            in.too_long = true;
            return true;
        }
        if (done == 0) { return false; }
        nap_ = detail::shortest_nap;
        if (h.receives) {
            int n = 0;
            detail::require(MPI_Get_count(&status, MPI_BYTE, &n), "MPI_Get_count");
            in.bytes = static_cast<std::size_t>(n);
        }
        return true;
    }
    /// A receive is called back, if MPI can; a send is left to itself.
    bool take_back(handle& h, steady::time_point until) {
        if (h.request == MPI_REQUEST_NULL) { return true; }
        if (h.receives) { MPI_Cancel(&h.request); }
        int done = 0;
        for (int turn = 0; done == 0 && (turn < 100 || steady::now() < until); ++turn) {
            if (MPI_Test(&h.request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) { break; }
            if (turn > 100) { std::this_thread::sleep_for(std::chrono::microseconds(20)); }
        }
        if (done == 0) { MPI_Request_free(&h.request); }
        return done != 0;
    }

    /// Nothing to do: testing moves MPI along.
    bool progress() { return false; }
    /// MPI wakes nobody: sleeps a little, longer each time in a row, at most 1 ms.
    template <class Ready>
    void doze(Ready&& ready, std::chrono::nanoseconds time) {
        if (ready()) {
            nap_ = detail::shortest_nap;
            return;
        }
        std::this_thread::sleep_for(std::min(nap_, time));
        nap_ = std::min(2 * nap_, detail::longest_nap);
    }
    /// MPI tells nobody who is gone.
    std::optional<peer_exit> gone(rank_t) const { return {}; }
    bool usable() const { return detail::is_usable(); }

    bool can_reach(rank_t) const { return true; }
    bool progress_control() { return false; }
    bool drop_data() { return false; }
    bool close(bool all_is_well) {
        if (!all_is_well) { return false; }  // what was posted may still be under way
        MPI_Comm_free(&control_);
        MPI_Comm_free(&data_);
        return true;
    }

private:
    MPI_Comm data_ = MPI_COMM_NULL, control_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 1;
    int processors_ = 1;
    std::uint64_t job_ = 0;
    std::uint64_t tags_ = 32768;
    std::chrono::nanoseconds nap_ = detail::shortest_nap;
};

}  // namespace collectives::mpi
