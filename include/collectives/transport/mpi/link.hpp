// SPDX-License-Identifier: BSD-3-Clause
// Messages over MPI: non-blocking calls only, on duplicates of the given communicator, one for data
// and one for control messages.
#pragma once

#include <collectives/core/fingerprint.hpp>
#include <collectives/core/growing_nap.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/without_cancellation.hpp>
#include <collectives/transport/message.hpp>
#include <collectives/transport/mpi/call_tags.hpp>
#include <collectives/transport/mpi/calls.hpp>
#include <collectives/transport/mpi/header.hpp>
#include <collectives/transport/mpi/pair_tags.hpp>
#include <collectives/transport/wire/link.hpp>
#include <collectives/transport/wire/processors.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

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

/// Models wire::link. MPI's tags are shorter than 64 bits (at least 15, mostly 28 or more). The
/// lower half of them numbers those of send and recv, which never meet. The upper half is for
/// collectives: segments of a call never meet, and calls that are under way at once do with a
/// probability of one in 7/8 of that half. The last eighth is for the generations after losses.
class link {
public:
    struct handle {
        MPI_Request request = MPI_REQUEST_NULL;
        bool receives = false;
        std::shared_ptr<pair_tags::early_receive> early{};  // until that has been posted
    };

    /// Collective. Throws usage_error where MPI is not initialised, this thread may not call it, or
    /// `base` is null or an intercommunicator, timeout_error where ranks are missing; the
    /// duplicates then stay, since only all ranks together can free them.
    link(MPI_Comm base, std::chrono::nanoseconds time) {
        detail::require_usable(base);
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
        auto const tags =
            std::bit_floor(static_cast<std::uint64_t>(found != 0 ? *most : 32767) + 1);
        call_tags_ = call_tags(tags / 2);
        auto const all = detail::all_gather(detail::introduction::of_this_process(), data_, until);
        job_ = all.front().job;
        lean_vector<wire::rank_processors> processors;
        for (auto const& one : all) { processors.push_back(one.processors); }
        processors_ = wire::shared_processors(processors);
        pair_tags_.emplace(data_, job_, static_cast<int>(tags / 2) - 1);
    }
    link(link const&) = delete;
    link& operator=(link const&) = delete;

    rank_t rank() const { return rank_; }
    int size() const { return size_; }
    int processors() const { return processors_; }
    /// MPI gives the numbers of freed communicators to new ones.
    std::uint64_t job() const { return job_; }

    /// MPI counts in int. A message for which Open MPI would first ask the receiver goes in two
    /// fragments, which are sent at once. For that both sides must know the size, or the receiver
    /// might take the first fragment for the whole.
    std::size_t largest_fragment(std::size_t bytes, bool agreed) const {
        constexpr std::size_t eager = detail::eager_bytes, most = std::size_t{1} << 30;
        return agreed && bytes > eager && bytes <= 2 * eager ? eager : most;
    }

    [[gnu::always_inline]] handle send(std::byte const* data, std::size_t bytes, rank_t to,
                                       std::uint64_t tag) {
        auto const short_tag = is_of_pair(tag) ? pair_tags_->of_sends(to, tag) : call_tags_.of(tag);
        return {detail::post_send(data, bytes, to, short_tag, data_)};
    }
    [[gnu::always_inline]] handle receive(std::byte* data, std::size_t bytes, rank_t from,
                                          std::uint64_t tag) {
        auto const short_tag =
            is_of_pair(tag) ? pair_tags_->of_receives(from, tag) : call_tags_.of(tag);
        if (short_tag == pair_tags::naming_tag) {
            return {MPI_REQUEST_NULL, true, pair_tags_->receive_early(data, bytes, from, tag)};
        }
        return {detail::post_receive(data, bytes, from, short_tag, data_), true};
    }
    bool waits(rank_t from, std::uint64_t tag) {
        while (pair_tags_->of_receives(from, tag) == pair_tags::naming_tag) {
            if (!pair_tags_->hear(from)) { return false; }
        }
        int here = 0;
        detail::require(
            MPI_Iprobe(from, pair_tags_->of_receives(from, tag), data_, &here, MPI_STATUS_IGNORE),
            "MPI_Iprobe");
        return here != 0;
    }
    handle send_control(std::byte const* data, std::size_t bytes, rank_t to) {
        return {detail::post_send(data, bytes, to, 0, control_)};
    }
    handle receive_control(std::byte* data, std::size_t bytes) {
        return {detail::post_receive(data, bytes, MPI_ANY_SOURCE, 0, control_), true};
    }
    bool test(handle& h, wire::arrival& in) {
        if (h.early && !is_posted(h)) { return false; }
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
        nap_.reset();
        if (h.receives) {
            int n = 0;
            detail::require(MPI_Get_count(&status, MPI_BYTE, &n), "MPI_Get_count");
            in.bytes = static_cast<std::size_t>(n);
        }
        return true;
    }
    /// A receive is called back, if MPI can; a send is left to itself.
    bool take_back(handle& h, wire::grace const& time) {
        if (h.early) { h.request = std::exchange(h.early, {})->request; }
        return detail::take_back(h.request, h.receives, time);
    }

    /// Nothing to do: testing moves MPI along.
    bool progress() { return false; }
    /// MPI wakes nobody: sleeps a little, longer each time in a row, at most 1 ms.
    template <class Ready>
    void doze(Ready&& ready, std::chrono::nanoseconds time) {
        if (ready()) {
            nap_.reset();
            return;
        }
        collectives::detail::sleep_in_call(std::min(nap_.next(), time));
    }
    /// MPI tells nobody who is gone.
    std::optional<peer_exit> gone(rank_t) const { return {}; }
    bool usable() const { return detail::is_usable(); }

    bool can_reach(rank_t) const { return true; }
    bool notices_deaths() const { return false; }
    bool progress_control() { return false; }
    bool drop_data() { return false; }
    bool close(bool all_is_well) {
        auto const all_named = pair_tags_->end();
        if (!all_is_well || !all_named) { return false; }  // what was posted may be under way
        MPI_Comm_free(&control_);
        MPI_Comm_free(&data_);
        return true;
    }

private:
    static bool is_of_pair(std::uint64_t tag) { return (tag & pair_bit) != 0; }
    /// Whether MPI knows of an early receive by now.
    bool is_posted(handle& h) {
        if (!h.early->posted) { pair_tags_->listen(h.early->from); }
        if (!h.early->posted) { return false; }
        h.request = std::exchange(h.early, {})->request;
        return true;
    }

    MPI_Comm data_ = MPI_COMM_NULL, control_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 1;
    int processors_ = 1;
    std::uint64_t job_ = 0;
    call_tags call_tags_;
    std::optional<pair_tags> pair_tags_;
    collectives::detail::growing_nap nap_;
};

}  // namespace collectives::mpi
