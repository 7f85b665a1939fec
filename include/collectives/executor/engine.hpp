// SPDX-License-Identifier: BSD-3-Clause
// Drives what is under way on a communicator: progress, waiting, and finding out what went wrong.
#pragma once

#include <collectives/core/deferred.hpp>
#include <collectives/core/failure.hpp>
#include <collectives/core/fingerprint.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/executor/activity.hpp>
#include <collectives/executor/diagnosis.hpp>
#include <collectives/executor/flat.hpp>
#include <collectives/executor/group.hpp>
#include <collectives/executor/hub.hpp>
#include <collectives/executor/inside.hpp>
#include <collectives/executor/line_watch.hpp>
#include <collectives/executor/progress_thread.hpp>
#include <collectives/executor/run_book.hpp>
#include <collectives/executor/scratch_pool.hpp>
#include <collectives/executor/waiter.hpp>
#include <collectives/transport/concepts.hpp>

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace collectives {

template <transport Transport>
class engine {
public:
    engine(std::shared_ptr<hub<Transport>> shared, typename Transport::board b, rank_group group,
           std::uint64_t context)
        : scratch(shared->carrier),
          hub_(std::move(shared)),
          board_(std::move(b)),
          group_(std::move(group)),
          context_(context) {
        if constexpr (direct_transport<Transport>) { runs.start(board_, scratch, group_.rank()); }
    }

    Transport& carrier() { return *hub_->carrier; }
    std::shared_ptr<hub<Transport>> const& shared() const { return hub_; }
    typename Transport::board& board() { return board_; }
    rank_group const& group() const { return group_; }
    /// Equal on all ranks of the communicator, different between communicators of a job.
    std::uint64_t context() const { return context_; }
    int size() const { return group_.size(); }
    rank_t rank() const { return group_.rank(); }

    /// Throws the failure that broke the communicator, if one did.
    void require_usable(collective what) {
        if (!board_.stopped()) {
            hear([&] { return std::string(name(what)); });
        }
        if (!board_.stopped()) { return; }
        with_driver(carrier(), context_, [this](auto const&) { end_kernels(); });
        raise(text_of("rank ", rank(), ", calling ", name(what)));
    }

    /// Enters the next operation, a call with this hash: gives it its number and leaves word of it.
    /// `mark` goes with all that is sent for it: a hash of this call and all before it. A mistake
    /// that nobody waited for, such as two ranks that each broadcast as root, so shows later.
    entry enter(fingerprint const& call, std::uint64_t hash) {
        auto const mine = number(hash);
        leave_word(call, hash, mine);
        unfinished_.push_back(mine.sequence);
        return mine;
    }
    /// The two halves of `enter` for an operation that is waited for while this rank is quiet. In
    /// between, peers cannot find out yet what this rank has called.
    entry number(std::uint64_t hash) {
        auto const past = std::exchange(past_, detail::hash_mix(past_, hash));
        return {++sequence_, past, past_};
    }
    void leave_word(fingerprint const& call, std::uint64_t hash, entry const& mine) {
        board_.enter(call, hash, mine.sequence, mine.past);
    }
    void finish(std::uint64_t sequence) {
        if (!unfinished_.empty()) { std::erase(unfinished_, sequence); }
        board_.finish(unfinished_.empty() ? sequence_ : unfinished_.front() - 1);
    }

    /// Whether nothing is under way on any communicator of this rank, and nothing has failed here.
    bool is_quiet() const { return hub_->work->active.empty() && !board_.stopped(); }
    /// Looks for a while whether `ready()`, without moving anything else. Wakes the others, who may
    /// wait for what was stored before.
    template <class Ready>
    bool wait_briefly(Ready&& ready) {
        constexpr int looks = 200;  // in the time of a few transfers of a cache line
        bool is = ready();
        // The only peer, had it gone to sleep, would have been ready from the first.
        bool const nobody_sleeps = !is && size() == 2;
        for (int i = 0; i < looks && hub_->core_per_rank && !is; ++i) { is = ready(); }
        if (is && nobody_sleeps) { return true; }
        board_.wake_others();
        is = is || ready();
        waiter patience(hub_->core_per_rank);
        while (!is && !board_.stopped() && patience.pause() != waiter::advice::sleep) {
            is = ready();
        }
        return is;
    }

    /// What the layer below refuses breaks the communicator: all ranks hear what was `called`.
    void break_by(std::string_view called, transport_error const& e) {
        carrier().note_trouble();
        board_.fail(failure::make(failure_kind::transport,
                                  text_of(called, ": on rank ", rank(), ": ", e.what())));
    }

    /// Ends this communicator's kernels that wait for peers, without waiting for that.
    void stop_kernels() {
        with_driver(carrier(), context_, [](auto& its) { its.abort(); });
    }
    /// Where it has failed: that, and its peers'. Then none comes into this rank's memory any more.
    void end_kernels() {
        std::uint64_t guests = 0;
        with_driver(carrier(), context_, [&](auto& its) { guests = its.end(); });
        wait_until_nobody_is_inside(carrier(), group_, guests);
    }
    /// What is under way belongs to whoever has the rank's turn.
    [[gnu::always_inline]] turns::turn turn() const { return hub_->work->turns->take(); }
    void add(activity& a) { hub_->work->active.push_back(&a); }
    void remove(activity& a) {
        auto const mine = turn();
        std::erase(hub_->work->active, &a);
    }

    /// One look at `a` and everything else; true if `a` has ended.
    bool test(activity& a) {
        auto const mine = turn();
        if (!a.done && !a.thrown) { move(a); }
        if (a.done) { return true; }
        if (a.thrown || board_.stopped()) { leave(a); }
        look_now_and_then(a);
        return false;
    }

    /// One look at `those`, for a thread that moves them and waits for none. What fails is kept for
    /// who does; what has ended is dropped from the list.
    progress_thread::found tend(std::vector<activity*>& those) {
        using enum progress_thread::found;
        if (hub_->work->turns->is_wanted()) { return nothing_new; }
        auto const mine = turn();
        std::erase_if(those, [](auto const* a) { return a->done || a->thrown; });
        if (those.empty() || board_.stopped()) { return nothing_to_do; }
        auto const title = [&] { return those.front()->call.title(); };
        if (guarded([&] { return hub_->progress(those); }, title)) { return something; }
        for (auto* const a : those) {
            if (!board_.stopped()) { look_now_and_then(*a); }
        }
        return nothing_new;
    }

    /// Returns once `a` is done; else throws, when no peer is in this rank's memory for it.
    void wait(activity& a) {
        auto const mine = turn();
        waiter patience(hub_->core_per_rank);
        while (!a.done) {
            auto const moved = move(a);
            if (a.done) { return; }
            if (a.thrown || board_.stopped()) { leave(a); }
            if (moved) {
                patience.reset();
            } else if (a.suspicious) {
                a.start_clock(steady::now());
                look(a);
                ::sched_yield();
            } else if (patience.pause() == waiter::advice::sleep) {
                auto const now = steady::now();
                a.start_clock(now);
                auto const most = std::min<std::chrono::nanoseconds>(
                    look_interval, std::max(a.deadline - now, std::chrono::nanoseconds(1)));
                bool woken = false;
                carrier().doze([&] { return woken = move(a) || a.thrown || board_.stopped(); },
                               most);
                if (woken) { patience.reset(); }
                if (!a.done && !a.thrown && !board_.stopped()) { look(a); }
            }
        }
    }

    /// Calls in flat form come one after the other, in the order of the calls.
    std::uint64_t reserve_flat() { return ++flat_reserved_; }
    [[no_unique_address]] flat_book<Transport> flats;

    line_watch watch;       // of what this rank writes for peers to read
    line_watch push_watch;  // of what it writes to their outputs
    scratch_pool<Transport> scratch;
    /// The communicator goes: what peers may still read of it stays until they have gone too.
    void retire() {
        if constexpr (requires { &Transport::free_when_closed; }) {
            auto kept = runs.take_kept();
            if (flats.beside().exists()) { kept.push_back(flats.beside().release()); }
            for (auto const& b : kept) { carrier().free_when_closed(board_, b.data, b.bytes); }
        }
        carrier().close_board(board_);
    }

    /// Runs of the direct executor.
    [[no_unique_address]] run_book<Transport> runs;

private:
    static constexpr std::chrono::milliseconds look_interval{20};

    /// Does `part`; true if anything moved. `title()` is that of what waits.
    template <class Part, class Title>
    bool guarded(Part&& part, Title&& title) {
        try {
            return part();
        } catch (transport_error const& e) {
            break_by(title(), e);
            return true;
        }
    }
    /// One look at everything.
    bool move(activity const& a) {
        return guarded([&] { return hub_->progress(); }, [&] { return a.call.title(); });
    }

    /// Takes in what peers tell by words, where that is how they tell.
    template <class Title>
    void hear(Title&& title) {
        if constexpr (requires { carrier().hear(); }) {
            guarded([&] { return carrier().hear(), true; }, title);
        }
    }
    /// Asks the ranks that `a` waits for what they are at, where such words cost messages.
    void ask(activity const& a) {
        if constexpr (requires { board_.ask(std::uint64_t{}); }) {
            auto const title = [&] { return a.call.title(); };
            hear(title);  // why a peer has gone before that it has
            if (board_.stopped()) { return; }
            guarded(
                [&] {
                    if (a.only_peer < 0) {
                        board_.ask(a.call.sequence);
                    } else {
                        board_.watch(a.only_peer);
                    }
                    return true;
                },
                title);
        }
    }
    void look_now_and_then(activity& a) {  // not each time: it reads what all ranks left
        auto const now = steady::now();
        a.start_clock(now);
        if (!a.suspicious && now < a.next_look) { return; }
        if (a.suspicious || a.next_look != steady::time_point{}) { look(a); }
        a.next_look = now + look_interval;
    }
    /// Looks for a reason why `a` cannot go on, and tells everybody if there is one.
    void look(activity& a) {
        if constexpr (requires { board_.ask(std::uint64_t{}); }) {
            if (!a.is_due(steady::now(), look_interval)) { return; }
            ask(a);
            if (board_.stopped()) { return; }
        }
        auto const why = diagnose(board_, carrier(), group_, a);
        if (!why) { return; }
        move(a);  // what a peer did before it left may have come in the meantime
        if (!a.done) { board_.fail(*why); }
    }

    /// Ends a failed activity: takes back what it posted, waits until no live peer is in this
    /// rank's memory, then throws.
    [[noreturn]] void leave(activity& a) {
        remove(a);
        end_kernels();
        a.cancel();
        if (a.thrown) { std::rethrow_exception(a.thrown); }
        raise(text_of("rank ", rank()));
    }
    [[noreturn]] void raise(std::string const& where) {
        auto why = board_.first_failure();
        for (; !why; why = board_.first_failure()) { ::sched_yield(); }
        why->raise(where);
    }

    std::shared_ptr<hub<Transport>> hub_;
    typename Transport::board board_;
    rank_group group_;
    std::uint64_t context_;
    std::uint64_t sequence_ = 0;
    std::uint64_t past_ = 0;
    deferred<std::vector<std::uint64_t>, Transport> unfinished_;
    std::uint64_t flat_reserved_ = 0;
};

}  // namespace collectives
