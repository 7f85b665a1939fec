// SPDX-License-Identifier: BSD-3-Clause
// Started calls that a thread moves while the rank computes: those that ask for it, and calls on
// devices, whose parts the host must enqueue one after the other.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/progress_lock.hpp>
#include <collectives/run/activity.hpp>
#include <collectives/run/engine.hpp>
#include <collectives/run/progress_thread.hpp>

#include <utility>

namespace collectives::inline v0::detail {

/// The background calls of one communicator. The thread starts with the first of them.
class background_calls {
public:
    /// Takes the progress lock while a call starts. The caller must not hold it yet.
    progress_lock::guard lock(engine& e) {
        e.shared()->work->lock->share();
        if (!thread_) {
            thread_ = make_owned<progress_thread>([&e, this, is_new = true]() mutable {
                auto* const device = e.space().device();
                if (std::exchange(is_new, false) && device != nullptr) { device->begin_thread(); }
                return e.tend(moved_);
            });
        }
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
    /// Ends the thread. The caller must not hold the lock.
    void end() { thread_.reset(); }

private:
    lean_vector<activity*> moved_;
    owned<progress_thread> thread_;
};

}  // namespace collectives::detail
