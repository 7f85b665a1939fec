// SPDX-License-Identifier: BSD-3-Clause
// The thread of a group that moves asynchronous calls while the program computes.
#pragma once

#include "work.hpp"

#include <collectives/core/service_thread.hpp>
#include <collectives/run/waiter.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace collectives_torch {

using work_pointer = c10::intrusive_ptr<work>;

/// The thread starts with the first call. While nothing is under way it sleeps; while something is,
/// it looks at once, then with yields, then sleeps in between, until a peer wakes it. The owner
/// calls `stop` at its end.
class progress : public std::enable_shared_from_this<progress> {
public:
    explicit progress(std::shared_ptr<seat> at) : at_(std::move(at)) {}
    progress(progress const&) = delete;
    progress& operator=(progress const&) = delete;

    void hand_over(work_pointer what) {
        std::lock_guard const lock(mutex_);
        waiting_.push_back(std::move(what));
        if (!thread_.joinable()) {
            collectives::detail::without_signals const none;
            thread_ = std::thread([self = shared_from_this()] { self->run(); });
        }
        if (is_idle_) { wake_.notify_one(); }
    }
    /// Returns once all calls have ended, or when the time has come; then false.
    bool drain(std::chrono::milliseconds time) {
        std::unique_lock lock(mutex_);
        return drained_.wait_for(lock, time, [this] { return waiting_.empty() && moving_ == 0; });
    }
    /// Ends the thread once all calls have ended.
    void stop() {
        {
            std::lock_guard const lock(mutex_);
            stops_ = true;
            wake_.notify_one();
        }
        if (!thread_.joinable()) { return; }
        if (thread_.get_id() == std::this_thread::get_id()) {  // a callback let go of the group
            thread_.detach();
        } else {
            thread_.join();
        }
    }

private:
    static constexpr std::chrono::microseconds shortest_nap{50}, longest_nap{1000};
    static constexpr std::chrono::microseconds nap_without_calls{200};
    static constexpr int naps_before_sleep = 20;

    /// Moves all once. Returns whether one has ended; `left_alone`: others wait for all of them.
    static bool look(std::vector<work_pointer> const& all, bool& left_alone) {
        bool one_has_ended = false;
        left_alone = true;
        for (auto const& one : all) {
            if (one->waiters.load() > 0 && !one->has_ended()) { continue; }
            left_alone = false;
            one_has_ended = one->step() || one_has_ended;
        }
        return one_has_ended;
    }
    /// Lets go of those that have ended.
    static void announce_ended(std::vector<work_pointer>& all) {
        for (auto& one : all) {
            if (!one->has_ended()) { continue; }
            one->announce();
            one.reset();
        }
        std::erase_if(all, [](auto const& one) { return !one; });
    }
    void run() {
        std::vector<work_pointer> all;
        coll::detail::waiter patience(false);
        auto nap = shortest_nap;
        int empty_naps = 0;
        for (;;) {
            {
                std::unique_lock lock(mutex_);
                moving_ = all.size();
                if (moving_ == 0 && waiting_.empty()) { drained_.notify_all(); }
                auto const called = [this] { return stops_ || !waiting_.empty(); };
                if (all.empty() && !called()) {
                    if (++empty_naps < naps_before_sleep) {
                        wake_.wait_for(lock, nap_without_calls);
                    } else {
                        is_idle_ = true;
                        wake_.wait(lock, called);
                        is_idle_ = false;
                    }
                }
                if (!waiting_.empty()) {
                    for (auto& one : waiting_) { all.push_back(std::move(one)); }
                    waiting_.clear();
                    moving_ = all.size();
                    empty_naps = 0;
                    patience.reset();
                    nap = shortest_nap;
                }
                if (stops_ && all.empty()) { return; }
            }
            if (all.empty()) { continue; }
            bool left_alone = false;
            bool has_ended = look(all, left_alone);
            if (!has_ended && left_alone) {
                std::this_thread::sleep_for(nap);
            } else if (!has_ended && patience.pause() == coll::detail::waiter::advice::sleep) {
                doze(
                    *at_, [&] { return has_ended = look(all, left_alone); }, nap);
            } else if (!has_ended) {
                continue;
            }
            announce_ended(all);
            nap = has_ended ? shortest_nap : std::min(2 * nap, longest_nap);
            if (has_ended) { patience.reset(); }
        }
    }

    std::shared_ptr<seat> at_;
    std::mutex mutex_;
    std::condition_variable wake_, drained_;
    std::vector<work_pointer> waiting_;
    std::size_t moving_ = 0;
    bool stops_ = false, is_idle_ = false;
    std::thread thread_;
};

}  // namespace collectives_torch
