// SPDX-License-Identifier: BSD-3-Clause
// A transport written outside the library: ranks are threads, and messages lie in one post office
// behind a mutex. It is as simple as a transport can be; docs/extending.md explains it.
#pragma once

#include <collectives/transport/concepts.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace mailbox {

namespace coll = collectives;

/// What the ranks of one communicator say about their calls.
struct notices {
    static constexpr std::uint64_t remembered = 128;

    struct row {
        std::uint64_t entered = 0, finished = 0;
        std::map<std::uint64_t, coll::fingerprint> calls;
    };
    std::vector<row> rows;
    std::optional<coll::failure> first;
    std::atomic<std::uint32_t> stop{0};
};

/// What all ranks share.
class post_office {
public:
    struct letter {
        coll::rank_t from, to;
        std::uint64_t tag, check;
        std::vector<std::byte> bytes;
    };

    explicit post_office(int size) : gone_(static_cast<std::size_t>(size)) {}
    int size() const { return static_cast<int>(gone_.size()); }

    /// Changes something under the guard, and wakes the ranks that sleep.
    template <class F>
    void change(F const& f) {
        {
            std::lock_guard const lock(guard_);
            f(*this);
            ++changes_;
        }
        changed_.notify_all();
    }
    /// Runs f under the guard.
    template <class F>
    auto locked(F const& f) {
        std::lock_guard const lock(guard_);
        return f(*this);
    }

    /// Sleeps until something changes, but not if `ready` says that something has.
    template <class Ready>
    void doze(Ready&& ready, std::chrono::nanoseconds time) {
        auto const seen = locked([](auto& o) { return o.changes_; });
        if (ready()) { return; }
        std::unique_lock lock(guard_);
        changed_.wait_for(lock, time, [&] { return changes_ != seen; });
    }

    // The rest only within `change` and `locked`.

    void send(letter l) { letters_.push_back(std::move(l)); }
    /// The oldest letter of this source, destination and tag.
    std::optional<letter> take(coll::rank_t from, coll::rank_t to, std::uint64_t tag) {
        auto const found = std::find_if(letters_.begin(), letters_.end(), [&](letter const& l) {
            return l.from == from && l.to == to && l.tag == tag;
        });
        if (found == letters_.end()) { return {}; }
        auto l = std::move(*found);
        letters_.erase(found);
        return l;
    }
    std::shared_ptr<notices> board(std::uint64_t id, std::size_t size) {
        auto& b = boards_[id];
        if (b == nullptr) {
            b = std::make_shared<notices>();
            b->rows.resize(size);
        }
        return b;
    }
    std::uint64_t next_board() { return ++boards_made_; }
    bool gone(coll::rank_t r) const { return gone_[static_cast<std::size_t>(r)]; }
    void leave(coll::rank_t r) { gone_[static_cast<std::size_t>(r)] = true; }

private:
    std::mutex guard_;
    std::condition_variable changed_;
    std::uint64_t changes_ = 0, boards_made_ = 0;
    std::list<letter> letters_;
    std::map<std::uint64_t, std::shared_ptr<notices>> boards_;
    std::vector<bool> gone_;
};

/// One rank's view of a communicator's notices. All functions may be called from any thread.
class board {
public:
    board(std::shared_ptr<post_office> office, std::shared_ptr<notices> of, coll::rank_t rank)
        : office_(std::move(office)), of_(std::move(of)), rank_(rank) {}

    void enter(coll::fingerprint const& call, std::uint64_t, std::uint64_t sequence,
               std::uint64_t) {
        office_->change([&](auto&) {
            auto& mine = row(rank_);
            mine.entered = sequence;
            mine.calls.emplace(sequence, call);
            if (mine.calls.size() > notices::remembered) { mine.calls.erase(mine.calls.begin()); }
        });
    }
    void finish(std::uint64_t sequence) {
        office_->change([&](auto&) { row(rank_).finished = sequence; });
    }
    std::uint64_t entered(coll::rank_t r) const {
        return office_->locked([&](auto&) { return row(r).entered; });
    }
    std::uint64_t finished(coll::rank_t r) const {
        return office_->locked([&](auto&) { return row(r).finished; });
    }
    std::optional<coll::fingerprint> call_of(coll::rank_t r, std::uint64_t sequence) const {
        return office_->locked([&](auto&) -> std::optional<coll::fingerprint> {
            auto const found = row(r).calls.find(sequence);
            if (found == row(r).calls.end()) { return {}; }
            return found->second;
        });
    }
    void fail(coll::failure const& why) {
        office_->change([&](auto&) {
            if (!of_->first) { of_->first = why; }
            of_->stop = 1;
        });
    }
    std::optional<coll::failure> first_failure() const {
        return office_->locked([&](auto&) { return of_->first; });
    }
    std::atomic<std::uint32_t> const& stop_word() const { return of_->stop; }

private:
    notices::row& row(coll::rank_t r) const { return of_->rows[static_cast<std::size_t>(r)]; }

    std::shared_ptr<post_office> office_;
    std::shared_ptr<notices> of_;
    coll::rank_t rank_;
};

/// Models collectives::transport.
class transport {
public:
    class request {
    public:
        bool wrong() const { return wrong_; }
        std::size_t actual_bytes() const { return actual_bytes_; }
        std::uint64_t actual_check() const { return actual_check_; }

    private:
        friend transport;
        std::optional<coll::incoming> awaited_;  // none: a send, which has ended at once
        bool wrong_ = false;
        std::size_t actual_bytes_ = 0;
        std::uint64_t actual_check_ = 0;
    };
    using board = mailbox::board;
    static constexpr bool can_consume = false;

    transport(std::shared_ptr<post_office> office, coll::rank_t rank)
        : office_(std::move(office)), rank_(rank) {}
    transport(transport const&) = delete;
    transport& operator=(transport const&) = delete;
    ~transport() {
        office_->change([&](auto& o) { o.leave(rank_); });
    }

    coll::rank_t rank() const { return rank_; }
    int size() const { return office_->size(); }

    void isend(coll::outgoing const& out, request& r) {
        r = {};
        std::vector<std::byte> bytes(out.data, out.data + out.bytes);
        office_->change([&](auto& o) {
            o.send({rank_, out.to, out.tag, out.check, std::move(bytes)});
        });
    }
    void irecv(coll::incoming const& in, request& r) {
        r = {};
        r.awaited_ = in;
    }
    bool test(request& r) {
        if (!r.awaited_) { return true; }
        auto const& in = *r.awaited_;
        auto const l = office_->locked([&](auto& o) { return o.take(in.from, rank_, in.tag); });
        if (!l) { return false; }
        r.actual_bytes_ = l->bytes.size();
        r.actual_check_ = l->check;
        r.wrong_ = r.actual_bytes_ != in.bytes || r.actual_check_ != in.check;
        if (!r.wrong_ && in.bytes != 0) { std::memcpy(in.data, l->bytes.data(), in.bytes); }
        r.awaited_.reset();
        return true;
    }
    void cancel(request& r) { r.awaited_.reset(); }
    bool poll() { return false; }  // nothing needs help on its way
    template <class Ready>
    void doze(Ready&& ready, std::chrono::nanoseconds time) {
        office_->doze(ready, time);
    }
    std::optional<coll::peer_exit> gone(coll::rank_t r) const {
        auto const left = office_->locked([&](auto& o) { return o.gone(r); });
        return left ? std::optional(coll::peer_exit{}) : std::nullopt;
    }
    void note_trouble() {}

    board first_board() { return open(0, static_cast<std::size_t>(size()), rank_); }
    /// `share(x)` gives the x of rank 0 of the group to all of its ranks.
    template <class Share>
    board make_board(std::vector<coll::rank_t> group, coll::rank_t rank_in_group, Share&& share) {
        std::uint64_t mine = 0;
        office_->change([&](auto& o) { mine = o.next_board(); });
        return open(share(mine), group.size(), rank_in_group);
    }
    void close_board(board&) {}

private:
    board open(std::uint64_t id, std::size_t size, coll::rank_t rank) {
        return {office_, office_->locked([&](auto& o) { return o.board(id, size); }), rank};
    }

    std::shared_ptr<post_office> office_;
    coll::rank_t rank_;
};
static_assert(coll::transport<transport>);

}  // namespace mailbox
