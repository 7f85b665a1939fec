// SPDX-License-Identifier: BSD-3-Clause
// Started calls that a thread moves while the rank computes: those that ask for it, and calls on
// devices, whose parts the host must enqueue one after the other.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/progress_lock.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/run/activity.hpp>
#include <collectives/run/engine.hpp>
#include <collectives/run/progress_thread.hpp>

#include <utility>

namespace collectives::inline v0::detail {

/// The background calls of one communicator. The process's thread moves them; those on devices have
/// a thread of their own, because enqueuing may wait for the device.
class background_calls {
public:
    /// Takes the progress lock while a call starts. The caller must not hold it yet.
    progress_lock::guard lock(engine& e) {
        e.shared()->work->lock->share();
        if (!thread_) { begin(e); }
        auto mine = e.lock();
        moved_.reserve(moved_.size() + 1);  // fails, if at all, before the call is entered
        return mine;
    }
    void add(activity& a) {
        moved_.push_back(&a);
        thread_->wake();
    }
    /// Stops driving `a`. The waiter sees its end or its failure. The caller holds the lock.
    void remove(activity& a) { moved_.erase_value(&a); }
    /// From now on no thread moves these calls. The caller must not hold the lock.
    void end() {
        if (!thread_) { return; }
        if (!thread_->runs_here()) { return leave_to_parent(); }
        thread_->remove(this);
        progress_thread::drop(thread_);
        thread_ = nullptr;
    }

private:
    /// In a forked child nothing of the thread may be touched: its locks may be held for ever.
    [[gnu::cold]] void leave_to_parent() {
        [[maybe_unused]] static void* kept = nullptr;
        kept = thread_;
        thread_ = nullptr;
    }
    void begin(engine& e) {
        engine_ = &e;
        auto* const thread =
            e.space().device() == nullptr ? progress_thread::of_process() : new progress_thread;
        try {
            thread->add(
                {this, [](void* of) { return static_cast<background_calls*>(of)->progress(); }});
        } catch (...) {
            progress_thread::drop(thread);
            throw;
        }
        thread_ = thread;
    }
    progress_thread::found progress() {
        auto* const device = engine_->space().device();
        if (std::exchange(is_new_, false) && device != nullptr) { device->begin_thread(); }
        return engine_->tend(moved_);
    }

    lean_vector<activity*> moved_;
    engine* engine_ = nullptr;
    bool is_new_ = true;
    progress_thread* thread_ = nullptr;
};

}  // namespace collectives::detail
