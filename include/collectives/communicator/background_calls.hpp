// SPDX-License-Identifier: BSD-3-Clause
// Started calls that a thread moves while the rank computes: those on devices, which the host must
// enqueue bit by bit.
#pragma once

#include <collectives/core/deferred.hpp>
#include <collectives/core/turns.hpp>
#include <collectives/executor/activity.hpp>
#include <collectives/executor/progress_thread.hpp>
#include <collectives/executor/space.hpp>

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace collectives {

/// Those of one communicator. Its thread starts with the first of them.
template <class Engine>
class background_calls {
public:
    /// In which a call is started. Not within another one.
    turns::turn turn(Engine& e) {
        e.shared()->work->turns->share();
        if (!thread_) {
            thread_ = std::make_unique<mover>([&e, this, is_new = true]() mutable {
                if (std::exchange(is_new, false)) { e.carrier().space().begin_thread(); }
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
    /// Its end, or what went wrong, is now for who waits for it to see. In a turn.
    void remove(activity& a) { std::erase(moved_, &a); }
    /// Not in a turn.
    void end() { thread_.reset(); }

private:
    using mover = deferred<progress_thread, Engine>;

    deferred<std::vector<activity*>, Engine> moved_;
    std::unique_ptr<mover> thread_;
};

/// Everywhere else they move when the rank tests or waits.
struct no_background_calls {
    turns::turn turn(auto& e) { return e.turn(); }
    void add(activity&) {}
    void remove(activity&) {}
    void end() {}
};
template <class Engine, class Transport>
using background_part =
    std::conditional_t<device_transport<Transport>, background_calls<Engine>, no_background_calls>;

}  // namespace collectives
