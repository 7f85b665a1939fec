// SPDX-License-Identifier: BSD-3-Clause
// Ranks of an MPI job. Only non-blocking calls once it is there, on duplicates of the given
// communicator: one for data, one for words about calls and failures.
#pragma once

#include <collectives/transport/concepts.hpp>
#include <collectives/transport/mpi/words.hpp>

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace collectives::mpi {

/// Stays where it is from isend or irecv until it tests true or is cancelled.
class request {
public:
    request() = default;
    request(request const&) = delete;
    request& operator=(request const&) = delete;

    bool wrong() const { return wrong_; }
    std::size_t actual_bytes() const { return actual_bytes_; }
    std::uint64_t actual_check() const { return actual_check_; }

private:
    friend class transport;

    std::vector<MPI_Request> pieces_;
    bool receives_ = false;
    bool wrong_ = false;
    std::vector<std::byte> with_header_;  // the message, where it has one
    incoming in_{};
    std::size_t received_ = 0;
    std::size_t actual_bytes_ = 0;
    std::uint64_t actual_check_ = 0;
};

/// Models `transport`. Matching is by 64-bit tags, of which MPI carries the lower bits: calls that
/// differ meet with a probability of one in the largest tag (at least 32767, mostly 2^28 or more).
class transport {
public:
    using request = mpi::request;
    using board = wire::board;
    static constexpr bool can_consume = false;

    /// Collective over `base`, which must not be used by others meanwhile. Throws usage_error where
    /// MPI is not initialised or this thread may not call it, timeout_error where ranks are
    /// missing.
    explicit transport(MPI_Comm base, std::chrono::nanoseconds time = timeout{}.span()) {
        detail::require_thread();
        auto const until =
            steady::now() + std::min<std::chrono::nanoseconds>(time, std::chrono::hours(24 * 365));
        data_ = detail::duplicate(base, until);
        words_ = std::make_unique<words>(detail::duplicate(base, until));
        detail::require(MPI_Comm_rank(data_, &rank_), "MPI_Comm_rank");
        detail::require(MPI_Comm_size(data_, &size_), "MPI_Comm_size");
        int* most = nullptr;
        int found = 0;
        detail::require(MPI_Comm_get_attr(data_, MPI_TAG_UB, &most, &found), "MPI_Comm_get_attr");
        largest_tag_ = found != 0 ? *most : 32767;
        count_processors(until);
    }
    transport(transport const&) = delete;
    transport& operator=(transport const&) = delete;

    /// Collective while all is well.
    ~transport() {
        int ended = 0;
        MPI_Finalized(&ended);
        if (ended != 0) { return; }
        auto const all_came = words_->close(!trouble_);
        if (all_came) { MPI_Comm_free(&data_); }  // else what was posted may still be under way
    }

    rank_t rank() const { return rank_; }
    int size() const { return size_; }
    /// Processors for all ranks of the job, as if each of its machines had as many per rank as the
    /// one that has fewest. The same on all ranks.
    int processors() const { return processors_; }

    void isend(outgoing const& out, request& r) {
        reset(r, false);
        auto const tag = tag_of(out.tag);
        if (out.check == 0) {
            return post_send(out.data, out.bytes, out.size_agreed, out.to, tag, r);
        }
        detail::header const head{out.check, out.bytes};
        r.with_header_.resize(sizeof head + out.bytes);
        std::memcpy(r.with_header_.data(), &head, sizeof head);
        if (out.bytes != 0) {
            std::memcpy(r.with_header_.data() + sizeof head, out.data, out.bytes);
        }
        post_send(r.with_header_.data(), r.with_header_.size(), false, out.to, tag, r);
    }
    void irecv(incoming const& in, request& r) {
        reset(r, true);
        r.in_ = in;
        auto const tag = tag_of(in.tag);
        if (in.check == 0) { return post_recv(in.data, in.bytes, in.size_agreed, in.from, tag, r); }
        r.with_header_.resize(sizeof(detail::header) + in.bytes);
        post_recv(r.with_header_.data(), r.with_header_.size(), false, in.from, tag, r);
    }
    bool test(request& r) {
        if (!pieces_done(r)) { return false; }
        nap_ = detail::shortest_nap;
        if (!r.receives_) { return true; }
        auto expected = r.in_.bytes;
        if (!r.with_header_.empty()) {
            detail::header head;
            std::memcpy(&head, r.with_header_.data(), sizeof head);
            expected += sizeof head;
            r.wrong_ = r.wrong_ || head.check != r.in_.check || head.bytes != r.in_.bytes;
            r.actual_bytes_ = head.bytes;
            r.actual_check_ = head.check;
            if (!r.wrong_ && head.bytes != 0) {
                std::memcpy(r.in_.data, r.with_header_.data() + sizeof head, head.bytes);
            }
        } else if (!r.wrong_ && r.received_ != expected) {
            r.wrong_ = true;
            r.actual_bytes_ = r.received_;
        }
        return true;
    }
    /// A receive is called back, if MPI can do so at once; a send is left to itself.
    void cancel(request& r) {
        for (auto& piece : r.pieces_) {
            if (piece == MPI_REQUEST_NULL) { continue; }
            trouble_ = true;
            if (r.receives_) { MPI_Cancel(&piece); }
            int done = 0;
            for (int turn = 0; turn < 100 && done == 0; ++turn) {
                MPI_Test(&piece, &done, MPI_STATUS_IGNORE);
            }
            if (done != 0) { continue; }
            MPI_Request_free(&piece);
            if (!r.with_header_.empty()) {  // MPI may still use it: it stays for ever
                static_cast<void>(new std::vector<std::byte>(std::move(r.with_header_)));
            }
        }
        r.pieces_.clear();
    }

    /// Moves MPI along; true if word came from a peer.
    bool poll() {
        if (++polls_ % 16 != 0) { return false; }  // testing requests moves it too
        return words_->hear();
    }
    /// MPI wakes nobody: sleeps a little, longer each time in a row, at most 1 ms.
    template <class Ready>
    void doze(Ready&& ready, std::chrono::nanoseconds time) {
        while (words_->hear()) {}
        if (ready()) {
            nap_ = detail::shortest_nap;
            return;
        }
        std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(nap_, time));
        nap_ = std::min(2 * nap_, detail::longest_nap);
    }
    /// MPI tells nobody who is gone.
    std::optional<departure> gone(rank_t) const { return {}; }
    void note_trouble() { trouble_ = true; }

    board first_board() {
        std::vector<rank_t> all(static_cast<std::size_t>(size_));
        for (std::size_t i = 0; i < all.size(); ++i) { all[i] = static_cast<rank_t>(i); }
        return words_->open(1, std::move(all), rank_);
    }
    template <class Share>
    board make_board(std::vector<rank_t> group, rank_t rank_in_group, Share&& share) {
        auto const mine = static_cast<std::uint64_t>(rank_ + 1) << 32 | ++boards_made_;
        auto const id = share(mine);
        return words_->open(id, std::move(group), rank_in_group);
    }
    void close_board(board& b) {
        if (b.state() && b.stopped()) { trouble_ = true; }
        int ended = 0;
        MPI_Finalized(&ended);
        if (ended != 0) { return; }
        try {
            words_->close(b);
        } catch (transport_error const&) { trouble_ = true; }
    }

private:
    /// The ranks of one machine may be bound to cores: together they have the union of these.
    void count_processors(steady::time_point until) {
        MPI_Comm here = MPI_COMM_NULL;
        detail::require(
            MPI_Comm_split_type(data_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here),
            "MPI_Comm_split_type");
        int beside = 1;
        detail::require(MPI_Comm_size(here, &beside), "MPI_Comm_size");
        cpu_set_t mine, all;
        CPU_ZERO(&mine);
        CPU_ZERO(&all);
        ::sched_getaffinity(0, sizeof mine, &mine);
        MPI_Request r = MPI_REQUEST_NULL;
        detail::require(MPI_Iallreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, here, &r),
                        "MPI_Iallreduce");
        detail::wait_for(r, until, "MPI_Iallreduce");
        MPI_Comm_free(&here);
        int const found = std::max(CPU_COUNT(&all) * size_ / beside, 1);
        detail::require(MPI_Iallreduce(&found, &processors_, 1, MPI_INT, MPI_MIN, data_, &r),
                        "MPI_Iallreduce");
        detail::wait_for(r, until, "MPI_Iallreduce");
    }

    int tag_of(std::uint64_t tag) const {
        return static_cast<int>(tag % (static_cast<std::uint64_t>(largest_tag_) + 1));
    }
    static void reset(request& r, bool receives) {
        r.pieces_.clear();
        r.with_header_.clear();
        r.receives_ = receives;
        r.wrong_ = false;
        r.received_ = r.actual_bytes_ = 0;
        r.actual_check_ = 0;
    }
    template <class Post>
    static void in_pieces(std::size_t bytes, bool size_agreed, Post&& post) {
        auto const most = detail::largest_piece(bytes, size_agreed);
        for (std::size_t first = 0; first == 0 || first < bytes; first += most) {
            post(first, static_cast<int>(std::min(most, bytes - first)));
        }
    }
    void post_send(void const* data, std::size_t bytes, bool size_agreed, rank_t to, int tag,
                   request& r) {
        in_pieces(bytes, size_agreed, [&](std::size_t first, int n) {
            auto& piece = r.pieces_.emplace_back(MPI_REQUEST_NULL);
            auto const* const from = static_cast<std::byte const*>(data) + first;
            detail::require(MPI_Isend(from, n, MPI_BYTE, to, tag, data_, &piece), "MPI_Isend");
        });
    }
    void post_recv(void* data, std::size_t bytes, bool size_agreed, rank_t from, int tag,
                   request& r) {
        in_pieces(bytes, size_agreed, [&](std::size_t first, int n) {
            auto& piece = r.pieces_.emplace_back(MPI_REQUEST_NULL);
            auto* const to = static_cast<std::byte*>(data) + first;
            detail::require(MPI_Irecv(to, n, MPI_BYTE, from, tag, data_, &piece), "MPI_Irecv");
        });
    }
    bool pieces_done(request& r) {
        for (auto& piece : r.pieces_) {
            if (piece == MPI_REQUEST_NULL) { continue; }
            int done = 0;
            MPI_Status status;
            auto const result = MPI_Test(&piece, &done, &status);
            if (result != MPI_SUCCESS) {
                int kind = 0;
                MPI_Error_class(result, &kind);
                if (!r.receives_ || kind != MPI_ERR_TRUNCATE) {
                    detail::require(result, "MPI_Test");
                }
                piece = MPI_REQUEST_NULL;  // more came than was expected
                r.wrong_ = true;
                r.actual_bytes_ = r.in_.bytes + 1;
                continue;
            }
            if (done == 0) { return false; }
            if (r.receives_) {
                int n = 0;
                detail::require(MPI_Get_count(&status, MPI_BYTE, &n), "MPI_Get_count");
                r.received_ += static_cast<std::size_t>(n);
            }
        }
        return true;
    }

    MPI_Comm data_ = MPI_COMM_NULL;
    std::unique_ptr<words> words_;
    int rank_ = 0, size_ = 1;
    int processors_ = 1;
    int largest_tag_ = 32767;
    bool trouble_ = false;
    unsigned polls_ = 0;
    std::chrono::nanoseconds nap_ = detail::shortest_nap;
    std::uint32_t boards_made_ = 0;
};

}  // namespace collectives::mpi
