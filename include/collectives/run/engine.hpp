// SPDX-License-Identifier: BSD-3-Clause
// Drives the operations of a communicator: progress, waiting, and diagnosis of failures.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/failure.hpp>
#include <collectives/core/function_ref.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/core/store_probe.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/run/activity.hpp>
#include <collectives/run/call_book.hpp>
#include <collectives/run/cell_window.hpp>
#include <collectives/run/diagnosis.hpp>
#include <collectives/run/group.hpp>
#include <collectives/run/memory_access.hpp>
#include <collectives/run/progress_thread.hpp>
#include <collectives/run/rank_progress.hpp>
#include <collectives/run/run_window.hpp>
#include <collectives/run/scratch_pool.hpp>
#include <collectives/run/space.hpp>
#include <collectives/run/wait_report.hpp>
#include <collectives/run/waiter.hpp>
#include <collectives/transport/any_transport.hpp>
#include <collectives/transport/shared/board.hpp>

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace collectives::inline v0::detail {

class engine {
public:
    [[gnu::cold]] engine(shared_pointer<rank_progress> const& shared, owned<any_board>&& b,
                         rank_group&& group, std::uint64_t context)
        : scratch(shared->carrier),
          shared_(shared),
          board_(std::move(b)),
          in_memory_(board_->in_memory()),
          memory_(in_memory_ == nullptr ? nullptr : carrier().memory()),
          space_(carrier().device()),
          stop_(&board_->stop_word()),
          asks_(board_->asks()),
          group_(std::move(group)),
          context_(context) {
        calls.start(*board_);
        if (memory_ == nullptr) { return; }
        runs.start(*in_memory_, scratch, group_.rank(), shared_->staged);
        cells.beside().count_in(shared_->staged);
    }
    [[gnu::cold]] ~engine() = default;

    any_transport& carrier() { return *shared_->carrier; }
    shared_pointer<rank_progress> const& shared() const { return shared_; }
    any_board& board() { return *board_; }
    /// The counters and cells of the board. Call it only if `memory` is not null.
    shared::board& shared_board() { return *in_memory_; }
    /// Null if peers cannot reach each other's memory. All data then travels as messages.
    peer_memory* memory() const { return memory_; }
    /// The space that holds the buffers of collectives.
    any_space space() const { return space_; }
    /// Whether small vectors may travel in cells.
    bool has_cells() const { return memory_ != nullptr && space_.device() == nullptr; }
    /// Whether the communicator has failed. All waits then end.
    bool stopped() const { return stop_->load(std::memory_order_seq_cst) != 0; }
    std::atomic<std::uint32_t> const& stop_word() const { return *stop_; }
    rank_group const& group() const { return group_; }
    /// Equal on all ranks of the communicator, different between communicators of a job.
    std::uint64_t context() const { return context_; }
    int size() const { return group_.size(); }
    rank_t rank() const { return group_.rank(); }

    /// Throws the failure that broke the communicator, if there was one.
    void require_usable(collective what) {
        if (asks_ && !stopped()) {
            guarded([&] { return carrier().receive_control(control_pause), true; }, name_of{what});
        }
        if (!stopped()) { return; }
        record(nullptr);
        raise(text_of("rank ", rank(), ", calling ", name(what), " #", calls.next_number(what)));
    }

    /// Numbers this communicator's operations and publishes them.
    call_book calls;

    /// Whether nothing is under way on any communicator of this rank, and nothing has failed here.
    bool is_quiet() const { return shared_->work->active.empty() && !stopped(); }
    waiter patience() const { return waiter(shared_->core_per_rank); }
    /// Polls `ready()` for a short while, without moving anything else. Wakes the other ranks on
    /// the way, since they may wait for what this rank stored.
    template <class Ready>
    bool wait_briefly(Ready&& ready, waiter& patience) {
        constexpr int looks = 200;  // takes as long as a few transfers of a cache line
        bool done = ready();
        // A single peer that slept by now would have made `ready()` true at the first look.
        bool const nobody_sleeps = !done && size() == 2;
        for (int i = 0; i < looks && shared_->core_per_rank && !done; ++i) { done = ready(); }
        if (done && nobody_sleeps) { return true; }
        in_memory_->wake_others();
        done = done || ready();
        while (!done && !stopped() && patience.pause() != waiter::advice::sleep) { done = ready(); }
        return done;
    }

    /// Breaks the communicator on all ranks with a failure that only this rank knows.
    [[gnu::cold]] void break_by(failure const& why) {
        auto const mine = lock();
        carrier().note_trouble();
        tell(why);
    }
    /// Breaks the communicator with the exception being handled, of the operation of this title.
    [[gnu::cold]] void break_by_exception(function_ref<std::string()> title) try {
        break_by(failure_being_handled(title(), rank()));
    } catch (std::bad_alloc const&) { break_by(failure::out_of_memory(rank())); }

    /// Locks what the rank has under way. The holder may change it.
    [[gnu::always_inline]] progress_lock::guard lock() const { return shared_->work->lock->take(); }
    void add(activity& a) { shared_->work->add(a); }
    void remove(activity& a) {
        auto const mine = lock();
        shared_->work->remove(a);
        wait_report_.end(a);
    }

    /// Makes progress once with `a` and what else is under way. Returns true if `a` has ended.
    bool test(activity& a) {
        auto const mine = lock();
        if (!a.done && !a.thrown) { move(a); }
        if (a.done) { return true; }
        if (a.thrown || stopped()) { leave(a); }
        look_now_and_then(a);
        shared_->work->lock->step_aside();
        return false;
    }

    /// Makes progress once with `those`, for a thread that waits for none of them. A failure is
    /// kept for the rank that waits; what has ended is dropped from the list.
    progress_thread::found tend(lean_vector<activity*>& those) {
        using enum progress_thread::found;
        auto& lock = *shared_->work->lock;
        if (lock.is_wanted()) { return nothing_new; }
        auto const mine = lock.try_take();
        if (!mine.is_taken) { return nothing_new; }  // whoever has it moves all that is under way
        those.erase_if([](auto const* a) { return a->done || a->thrown; });
        if (those.empty() || stopped()) { return nothing_to_do; }
        if (guarded([&] { return shared_->progress(those); }, title_of{*those.front()})) {
            return something;
        }
        for (auto* const a : those) {
            if (!stopped()) { look_now_and_then(*a); }
        }
        return nothing_new;
    }

    /// Returns once `a` is done. Otherwise throws, after all peers have left this rank's memory.
    /// Other threads of the rank that share the lock get it in between, however often it is held.
    void wait(activity& a) {
        auto const mine = lock();
        auto patience = this->patience();
        for (unsigned moves = 0; !a.done;) {
            a.start_clock(patience.since());
            auto const moved = move(a);
            if (a.done) { return; }
            if (a.thrown || stopped()) { leave(a); }
            shared_->work->lock->step_aside();
            if (moved) {
                patience.reset();
                if (++moves % looks_apart == 0) { look_now_and_then(a); }  // `a` may be stuck
            } else if (a.mismatched && !wait_report_.asks()) {
                look_now_and_then(a);
                ::sched_yield();
            } else if (patience.pause() == waiter::advice::sleep) {
                auto const now = steady::now();
                auto const most = wait_report_.pause(a.deadline - now);
                bool woken = false;
                auto const ready = [&] { return woken = move(a) || a.thrown || stopped(); };
                guarded([&] { return shared_->doze(ready, most), true; }, title_of{a});
                if (woken) {
                    patience.reset();
                    wait_report_.go_on();
                }
                if (!a.done && !a.thrown && !stopped()) { find_reason(a); }
            }
        }
    }

    /// Reserves the next call in cells. They run one after the other, in the order of the calls.
    std::uint64_t reserve_cell() { return ++cells_reserved_; }
    cell_window cells;

    store_probe watch;       // lines that this rank writes for peers to read
    store_probe push_watch;  // lines that it writes in its peers' outputs
    scratch_pool scratch;
    run_window runs;  // in memory
    /// Ends this rank's use of the communicator. Memory that peers may still read stays until they
    /// have left too.
    [[gnu::cold]] void retire() {
        if (stopped()) { record(nullptr); }
        if (memory_ != nullptr) {
            auto kept = runs.take_kept();
            if (cells.beside().exists()) { kept.push_back(cells.beside().release()); }
            for (auto const& b : kept) { memory_->free_when_closed(*board_, b.data, b.bytes); }
        }
        carrier().close_board(*board_);
    }

private:
    static constexpr unsigned looks_apart = 32;  // moves between two readings of the clock
    static constexpr std::chrono::microseconds control_pause{20};  // at most so often

    /// Does `part`; true if anything moved. `title()` names what waits. Long, so not inlined.
    [[gnu::noinline]] bool guarded(function_ref<bool()> part, function_ref<std::string()> title) {
        try {
            return part();
        } catch (...) {  // also std::bad_alloc: what is under way must end before its buffers go
            break_by_exception(title);
            return true;
        }
    }
    /// Makes progress once, also with what else is under way.
    bool move(activity& a) {
        return guarded([&] { return shared_->progress(a); }, title_of{a});
    }

    /// Rarely, because it reads the state of all ranks.
    [[gnu::noinline]] void look_now_and_then(activity& a) {
        auto const now = steady::now();
        a.start_clock(now);
        if (!a.mismatched && now < a.next_look) { return; }
        if (a.mismatched || a.next_look != steady::time_point{}) { find_reason(a); }
        a.next_look = now + wait_report_.pause(a.deadline - now);
    }
    /// Looks for a reason why `a` cannot go on, and reports it to all ranks if there is one.
    void find_reason(activity& a) {
        guarded([&] { return look_for_failure(a), false; }, title_of{a});
    }
    void look_for_failure(activity& a) {
        wait_report_.publish(*board_, a);
        record(&a);
        if (asks_ && !a.is_due(steady::now(), look_interval)) { return; }
        if (asks_ && !wait_report_.ask(*board_, carrier(), a)) { return; }
        auto const why = stopped() ? std::nullopt : diagnose(*board_, carrier(), group_, a);
        if (why) { move(a); }  // what a peer sent before it left may have arrived by now
        if (why && !a.done) { tell(*why); }
    }

    [[gnu::cold]] void tell(failure const& why) {
        board_->fail(why);
        carrier().tell_failures();
    }
    /// Ends a failed activity: takes back what it posted, waits until no live peer accesses this
    /// rank's memory, then throws.
    [[gnu::cold, noreturn]] void leave(activity& a) {
        guarded([&] { return record(&a), true; }, title_of{a});
        remove(a);
        wait_until_peers_have_left(carrier(), group_, *shared_->work->lock);
        a.cancel();
        if (a.thrown) { std::rethrow_exception(a.thrown); }
        raise(text_of("rank ", rank()), &a);
    }
    /// Hands what is under way to the flight recorder, if any. `a`: what this rank waits in.
    [[gnu::cold]] void record(activity const* a) {
        if (auto const* const by = shared_->recorder) {
            by->record({*board_, group_, context_, shared_->work->active, a}, recorded_);
        }
    }
    [[gnu::cold, noreturn]] void raise(std::string where, activity const* in = nullptr) {
        while (stopped() && !board_->first_failure()) { ::sched_yield(); }
        carrier().tell_failures();  // another thread may only have noted it
        auto const why = board_->first_failure().value_or(failure::unknown());
        auto const names_no_call = why.kind == failure_kind::aborted;
        if (in != nullptr && names_no_call) { add_text(where, ", ", in->call.title()); }
        why.raise(where);
    }

    shared_pointer<rank_progress> shared_;
    owned<any_board> board_;
    shared::board* in_memory_;
    peer_memory* memory_;
    any_space space_;
    std::atomic<std::uint32_t> const* stop_;
    wait_report wait_report_;
    flight_log recorded_;
    bool asks_;  // ranks exchange what they have called by messages
    rank_group group_;
    std::uint64_t context_;
    std::uint64_t cells_reserved_ = 0;
};

}  // namespace collectives::detail
