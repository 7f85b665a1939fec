// SPDX-License-Identifier: BSD-3-Clause
// Started calls that a thread moves while the rank computes: those on devices, which the host must
// enqueue bit by bit.
#pragma once

#include <collectives/core/turns.hpp>
#include <collectives/run/activity.hpp>
#include <collectives/run/engine.hpp>
#include <collectives/run/progress_thread.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace collectives {

/// Those of one communicator. Its thread starts with the first of them.
class background_calls {
public:
    /// The turn in which a call is started. Not within another one.
    turns::turn turn(engine& e) {
        e.shared()->work->turns->share();
        if (!thread_) {
            thread_ = std::make_unique<progress_thread>([&e, this, is_new = true]() mutable {
                if (std::exchange(is_new, false)) { e.space().device()->begin_thread(); }
                return e.tend(moved_);
            });
        }
        auto mine = e.turn();
        moved_.reserve(moved_.size() + 1);  // what may fail does so before the call is entered
        return mine;
    }
    void add(activity& a) {
        moved_.push_back(&a);
        thread_->wake();
    }
    /// The call's end, or what went wrong, is now for its waiter to see. In a turn.
    void remove(activity& a) { std::erase(moved_, &a); }
    /// Not in a turn.
    void end() { thread_.reset(); }

private:
    std::vector<activity*> moved_;
    std::unique_ptr<progress_thread> thread_;
};

}  // namespace collectives
