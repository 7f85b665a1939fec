// SPDX-License-Identifier: BSD-3-Clause
// The transport of ranks that share memory: threads of a process, or processes of a machine.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/progress_lock.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/transport/loss.hpp>
#include <collectives/transport/shared/board.hpp>
#include <collectives/transport/shared/messages.hpp>
#include <collectives/transport/shared/processes.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace collectives::inline v0::shared {

/// Models `transport` and `peer_addressable`, and, by its base, `lends_memory` where some memory is
/// not reachable. One object per rank; `keep` holds what must outlive it (the mapping, the heap
/// block); `watches` says that it has to look itself whether peers live.
/// A process that the rank forks has a copy, but is not the rank: there it gives nothing back.
template <class Memory>
class shared_transport : public Memory::unreached {
public:
    using request = shared::request;
    using board = shared::board;
    static constexpr bool can_consume = true;
    static constexpr bool always_reachable = Memory::always_reachable;
    static constexpr bool of_processes = !always_reachable;  // else the ranks are threads of one

    shared_transport(state const& job, Memory memory, std::byte* first_board, rank_t me,
                     shared_pointer<void> const& keep, bool watches = false)
        : Memory::unreached(job, me),
          keep_(keep),
          job_(job),
          memory_(std::move(memory)),
          first_board_(first_board),
          me_(me),
          messages_(job, memory_, *this, me) {
        if (watches && of_processes) { watched_ = make_owned<processes>(job); }
    }
    shared_transport(shared_transport const&) = delete;
    shared_transport& operator=(shared_transport const&) = delete;

    rank_t rank() const { return me_; }
    int size() const { return job_.size(); }
    /// That the ranks of the job share.
    int processors() const {
        constexpr int most = 1 << 20;  // a peer may write any number
        return std::clamp(job_.header().processors.load(std::memory_order_relaxed), 1, most);
    }

    void isend(outgoing const& out, request& r) { messages_.isend(out, r); }
    void irecv(incoming const& in, request& r) { messages_.irecv(in, r); }
    bool test(request& r) { return messages_.test(r); }
    std::optional<std::size_t> probe(rank_t from, std::uint64_t tag) {
        return messages_.probe(from, tag);
    }
    void cancel(request& r) { messages_.cancel(r); }
    bool poll() { return messages_.poll(); }

    template <class Ready>
    void doze(Ready&& ready, std::chrono::nanoseconds time) {
        auto& mine = job_.status(me_);
        auto const seen = mine.bell.load(std::memory_order_seq_cst);
        mine.asleep.fetch_add(1, std::memory_order_seq_cst);
        struct awake {  // also if `ready` throws
            std::atomic<std::uint32_t>& asleep;
            ~awake() { asleep.fetch_sub(1, std::memory_order_release); }
        } const later{mine.asleep};
        std::atomic_thread_fence(std::memory_order_seq_cst);  // see board::wake_others
        if (!ready()) { futex_wait(mine.bell, seen, messages_.held_up().longest_sleep(time)); }
    }

    std::optional<peer_exit> gone(rank_t r) const {
        if (of_processes && watched_) { watched_->look_after(r); }
        auto const& s = job_.status(r);
        auto const how = s.state.load(std::memory_order_acquire);
        if (how <= life::running) { return {}; }
        return peer_exit{how == life::died, s.signal.load(std::memory_order_relaxed)};
    }
    /// Says that this rank's own doing is about to break a communicator.
    void note_trouble() { job_.note_trouble(me_); }
    /// Whether rank r is a process of its own that has been stopped (SIGSTOP).
    bool suspended(rank_t r) const { return of_processes && job_.is_stopped(r); }
    /// Whether rank r reads a peer's memory at this moment.
    bool accesses_memory(rank_t r) const {
        return job_.status(r).inside.load(std::memory_order_seq_cst) != 0;
    }
    void enter_memory() { job_.status(me_).inside.store(1, std::memory_order_seq_cst); }
    void leave_memory() { job_.status(me_).inside.store(0, std::memory_order_seq_cst); }

    std::uint64_t reach(void const* p, std::size_t bytes) const { return memory_.reach(p, bytes); }
    std::byte* at(std::uint64_t location, std::size_t bytes) const {
        return memory_.at(location, bytes);
    }
    void* allocate(std::size_t bytes) {
        sweep();
        return memory_.allocate(bytes);
    }
    void deallocate(void* p, std::size_t bytes) {
        if (is_the_rank()) { memory_.deallocate(p, bytes); }
    }

    /// The board of the communicator of all ranks.
    board first_board() {
        return board(job_, first_board_, numbers_below(static_cast<std::size_t>(size())), me_);
    }
    /// The board of a new communicator. Its rank 0 makes it and `share`s the location: share(x)
    /// returns rank 0's x on every rank. Throws transport_error on all if there is no memory for
    /// it.
    template <class Share>
    [[gnu::cold]] board make_board(lean_vector<rank_t> group, rank_t rank_in_group, Share&& share) {
        std::uint64_t where = 0;
        if (rank_in_group == 0) {
            auto const bytes = board::bytes(static_cast<int>(group.size()));
            try {
                auto* const memory = static_cast<std::byte*>(allocate(bytes));
                board::create(memory, static_cast<int>(group.size()));
                where = memory_.reach(memory, bytes);
                if (!always_reachable) { own_boards_.push_back({memory, memory, bytes}); }
            } catch (transport_error const&) { where = 0; }  // for all of the group to hear
        }
        where = share(where);
        if (where == 0) {
            throw_error<transport_error>("no shared memory for another communicator");
        }
        auto* const memory = memory_.at(where, board::bytes(static_cast<int>(group.size())));
        if (reinterpret_cast<std::uintptr_t>(memory) % line != 0) {
            throw_error<transport_error>("another communicator's board is not where a peer says");
        }
        return board(job_, memory, std::move(group), rank_in_group);
    }

    /// Frees what `allocate` gave once all ranks have closed the board, since some may still read
    /// it. Call it before this rank closes the board and, where every address can be reached, only
    /// as often as a board allows.
    void free_when_closed(board& b, void* p, std::size_t bytes) {
        if (!is_the_rank()) { return; }
        if (always_reachable) {
            b.leave_behind({static_cast<std::byte*>(p), bytes});
        } else {
            b.hold();
            left_behind_.push_back({b.memory(), p, bytes});
        }
    }
    /// Ends this rank's use of a board. The last one frees it, if it may; else its maker does.
    void close_board(board& b) {
        if (!is_the_rank()) { return; }
        auto const last = b.close();
        if (!last || !always_reachable) { return; }
        b.take_left_behind([&](void* p, std::size_t bytes) { memory_.deallocate(p, bytes); });
        if (b.memory() != first_board_) { memory_.deallocate(b.memory(), board::bytes(b.size())); }
    }

    /// Says that this rank leaves the job when the transport goes.
    void leave_at_end() { leaves_at_end_ = true; }

    [[gnu::cold]] ~shared_transport() {
        if (!is_the_rank()) { return; }
        if (leaves_at_end_) { job_.depart(me_, life::left, 0); }
        sweep();
        for (auto const& one : left_behind_) { board(job_, one.board, {}, 0).let_go(); }
    }

protected:
    Memory const& memory() const { return memory_; }
    state const& of_job() const { return job_; }

    /// Where the survivors of a failure go on: the first of them that lives calls `make()`, which
    /// returns that place, and tells the others. If that rank is not heard of until then, others
    /// make one too; the first one counts. Throws on all of them where making it throws on one.
    template <class Make>
    [[gnu::cold]] std::uint64_t successor_of(board& broken, loss const& of, Make&& make) {
        auto* const place = of.by_context ? job_.successor_of(of.context) : &broken.successor();
        if (place == nullptr) {
            throw cannot_go_on("too many communicators of this host have gone on");
        }
        constexpr auto none = ~std::uint64_t{0};  // there cannot be one
        auto const settle = [&](std::uint64_t where) {
            std::uint64_t open = 0;
            place->compare_exchange_strong(open, where);
            broken.wake_others();
        };
        while (place->load() == 0) {
            if (goes_first(of.survivors) || steady::now() >= of.until) {
                try {
                    settle(make());
                } catch (...) {
                    settle(none);
                    throw;
                }
            } else {
                progress_lock::unlocked pause(of.lock);
                pause.begin();
                doze([&] { return place->load() != 0; }, std::chrono::milliseconds(1));
            }
        }
        if (*place == none) { throw cannot_go_on("a peer has no memory for the survivors"); }
        return *place;
    }
    [[gnu::cold]] transport_error cannot_go_on(char const* why) const {
        return transport_error(text_of("rank ", me_, " of the job, shrink: ", why));
    }
    /// Whether all ranks of the list that come before this one are gone.
    [[gnu::cold]] bool goes_first(lean_vector<rank_t> const& ranks) const {
        for (auto const r : ranks) {
            if (r == me_ || !gone(r)) { return r == me_; }
        }
        return true;
    }

private:
    struct awaited {
        std::byte* board;
        void* memory;
        std::size_t bytes;
    };

    /// Whether this process is the rank's, not a child that it forked.
    bool is_the_rank() const { return ::getpid() == process_; }
    /// Frees the boards this rank made that nobody uses any more, and what was read along with one.
    [[gnu::cold]] void sweep() {
        left_behind_.erase_if([this](awaited const& one) {
            board its(job_, one.board, {}, 0);
            if (!its.closed_by_all()) { return false; }
            memory_.deallocate(one.memory, one.bytes);
            its.let_go();
            return true;
        });
        own_boards_.erase_if([this](auto const& mine) {
            board const its(job_, mine.board, {}, 0);
            if (!its.is_unused()) { return false; }
            memory_.deallocate(mine.memory, mine.bytes);
            return true;
        });
    }

    shared_pointer<void> keep_;
    state job_;
    Memory memory_;
    std::byte* first_board_;
    rank_t me_;
    pid_t process_ = ::getpid();
    owned<processes> watched_;
    bool leaves_at_end_ = false;
    messages<Memory> messages_;
    lean_vector<awaited> own_boards_;
    lean_vector<awaited> left_behind_;
};

}  // namespace collectives::shared
