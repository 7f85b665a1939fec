// SPDX-License-Identifier: BSD-3-Clause
// The activities of one rank over all its communicators, and what moves them.
#pragma once

#include <collectives/core/function_ref.hpp>
#include <collectives/core/isa.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/processors.hpp>
#include <collectives/core/progress_lock.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/core/without_cancellation.hpp>
#include <collectives/run/activity.hpp>
#include <collectives/run/flight_recorder.hpp>
#include <collectives/transport/any_transport.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>

namespace collectives::inline v0::detail {

/// All activities of one rank, over all its communicators and transports.
struct rank_work {
    void add(activity& a) {
        active.push_back(&a);  // first: it may throw
        a.place = active.size() - 1;
        if (!a.is_message()) { ++calls; }
    }
    /// Does nothing where it is not among them.
    void remove(activity& a) {
        if (a.place == activity::nowhere) { return; }
        auto* const last = active.back();
        active[a.place] = last;
        last->place = a.place;
        active.pop_back();
        a.place = activity::nowhere;
        if (!a.is_message()) { --calls; }
    }

    lean_vector<any_transport*> carriers;
    lean_vector<activity*> active;  // in any order
    std::size_t calls = 0;          // of them that are no messages
    shared_pointer<collectives::progress_lock> lock =
        make_shared_object<collectives::progress_lock>();
    std::thread::id maker = std::this_thread::get_id();  // of the first transport
};

/// The number of processors for this rank and the ranks beside it, as far as the transport knows.
inline int processors_for(any_transport const& t) {
    auto const known = t.processors();
    return known != 0 ? known : usable_processors();
}

/// What the communicators of one rank on one transport share. A waiting rank moves its work,
/// also on transports that were adapted from this one or that this one was adapted from.
struct rank_progress {
    [[gnu::cold]] explicit rank_progress(
        shared_pointer<any_transport> const& t,
        shared_pointer<rank_work> const& all = make_shared_object<rank_work>())
        : carrier(t),
          work(all),
          core_per_rank(carrier->size() <= processors_for(*carrier)),
          recorder(open_flight_recorder()) {
        // A wrong environment throws here, not in the middle of a call.
        static_cast<void>(host::current_isa());
        static_cast<void>(timeout{}.span());
        auto const held = work->lock->take();
        work->carriers.push_back(carrier.get());
        work->active.reserve(64);  // so that as many started calls allocate nothing
        carrier->use_lock(work->lock);
    }
    rank_progress(rank_progress const&) = delete;
    rank_progress& operator=(rank_progress const&) = delete;
    [[gnu::cold]] ~rank_progress() {
        auto const held = work->lock->take();
        work->carriers.erase_value(carrier.get());
    }

    /// Polls everything. The caller holds the rank's progress lock. Returns true if anything moved.
    bool progress() { return progress(work->active); }
    /// The same for a rank that waits for `a`. The transport moves messages. So while nothing but
    /// messages is under way, those for which the rank does not wait are polled every 16th time.
    bool progress(activity& a) {
        constexpr unsigned apart = 16;
        auto const has_left = a.place == activity::nowhere;  // it has failed
        if (work->calls != 0 || has_left || ++turns_ % apart == 0) { return progress(); }
        auto const moved = poll();
        return move(a) || moved;
    }
    /// Polls these activities alone.
    bool progress(lean_vector<activity*> const& those) {
        auto moved = poll();
        for (std::size_t i = 0; i < those.size(); ++i) { moved = move(*those[i]) || moved; }
        return moved;
    }

    /// Sleeps until a peer may have done something that makes `ready()` true, or `most` has passed.
    /// The caller holds the lock, also when `ready` is called. Other threads of the rank get the
    /// lock while this one sleeps in memory, where several may sleep; else they get it when this
    /// one wakes, which is soon where another thread has ever wanted it.
    [[gnu::cold]] void doze(function_ref<bool()> ready, std::chrono::nanoseconds most) {
        progress_lock::unlocked pause(*work->lock);
        auto const in_memory = carrier->memory() != nullptr;
        if (!in_memory && work->lock->was_wanted()) {
            most = std::min<std::chrono::nanoseconds>(most, std::chrono::milliseconds(1));
        }
        auto const ready_or_unlocked = [&] {
            pause.end();
            auto const is = ready();
            if (!is && in_memory) { pause.begin(); }
            return is;
        };
        carrier->doze(ready_or_unlocked, most);
    }

    /// From now on other threads may tell failures, if the transport lets them. The caller holds no
    /// lock.
    void let_any_thread_tell() {
        if (carrier->any_thread()) { work->lock->share(); }
    }
    /// Tells the peers, on any thread, what has been noted as failed. If this rank is inside the
    /// library, whoever is there tells them soon, unless that thread is just about to return: so
    /// this one tries for a while. Does nothing on a thread that may not use the transport.
    [[gnu::cold]] void tell_failures() {
        if (!work->lock->is_shared()) {
            if (std::this_thread::get_id() == work->maker) { carrier->tell_failures(); }
            return;
        }
        auto const until = steady::now() + std::chrono::milliseconds(100);
        do {
            if (auto const mine = work->lock->try_take(); mine.is_taken) {
                return carrier->tell_failures();
            }
            sleep_in_call(std::chrono::microseconds(500));
        } while (steady::now() < until);
    }

    shared_pointer<any_transport> carrier;
    shared_pointer<rank_work> work;
    bool core_per_rank;
    std::size_t staged = 0;           // bytes in the staging rings of the communicators
    flight_recorder const* recorder;  // null: nobody asked for one

private:
    bool poll() {
        bool moved = false;
        for (auto* const c : work->carriers) { moved = c->poll() || moved; }
        return moved;
    }
    static bool move(activity& a) {
        if (a.done || a.thrown) { return false; }
        auto const before = a.ticks;
        a.done = a.progress();
        return a.done || a.ticks != before;
    }

    unsigned turns_ = 0;
};

}  // namespace collectives::detail
