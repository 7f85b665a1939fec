// SPDX-License-Identifier: BSD-3-Clause
// The threads of a group that move asynchronous calls while the program computes: mostly one.
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
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace collectives_torch {

using work_pointer = c10::intrusive_ptr<work>;

/// One thread leads: it moves all calls. The first starts with the first call. While nothing is
/// under way it sleeps; while something is, it looks at once, then with yields, then sleeps in
/// between, until a peer wakes it. Before it completes futures, on which a program may hang
/// callbacks, it lets go of the lead: a callback may make calls on this group and wait for them.
/// Another thread then leads, where there is something to move; it starts where none is idle. The
/// owner calls `stop` at its end.
class progress : public std::enable_shared_from_this<progress> {
public:
    explicit progress(std::shared_ptr<seat> at) : at_(std::move(at)) {}
    progress(progress const&) = delete;
    progress& operator=(progress const&) = delete;

    /// Moves this call from now on. False after `stop`. Throws std::system_error if no thread can
    /// start.
    bool hand_over(work_pointer what) {
        std::lock_guard const lock(mutex_);
        if (stops_) { return false; }
        if (lead_ == lead::free) { offer_lead(); }
        waiting_.push_back(std::move(what));
        ++unannounced_;
        if (is_asleep_) { wake_.notify_one(); }
        return true;
    }
    /// Returns once all calls have ended, or when the time has come; then false.
    bool drain(std::chrono::milliseconds time) {
        std::unique_lock lock(mutex_);
        return drained_.wait_for(lock, time, [this] { return unannounced_ == 0; });
    }
    /// Ends the threads once all calls have ended.
    void stop() {
        std::unique_lock lock(mutex_);
        stops_ = true;
        wake_.notify_one();
        offered_.notify_all();
        while (!threads_.empty()) {
            auto one = std::move(threads_.back());
            threads_.pop_back();
            lock.unlock();
            if (one.get_id() == std::this_thread::get_id()) {  // a callback let go of the group
                one.detach();
            } else {
                one.join();
            }
            lock.lock();
        }
    }

private:
    enum class lead { free, offered, taken };

    static constexpr std::chrono::microseconds shortest_nap{50}, longest_nap{1000};
    static constexpr std::chrono::microseconds nap_without_calls{200};
    static constexpr int naps_before_sleep = 20;
    /// How often the leader looks.
    struct pace {
        coll::detail::waiter looks{false};
        std::chrono::microseconds nap = shortest_nap;
        int empty_naps = 0;

        void reset() {
            looks.reset();
            nap = shortest_nap;
            empty_naps = 0;
        }
    };

    /// Asks an idle thread to lead, or starts one. Under the mutex. Throws std::system_error if
    /// none can start.
    void offer_lead() {
        if (idle_ > 0) {
            offered_.notify_one();
        } else {
            collectives::detail::without_signals const none;
            threads_.emplace_back([self = shared_from_this()] { self->run(); });
        }
        lead_ = lead::offered;
    }
    /// The life of a thread: it leads, or is idle until it is asked to.
    void run() {
        for (std::unique_lock lock(mutex_);;) {
            if (lead_ == lead::taken) {
                ++idle_;
                offered_.wait(lock, [this] { return lead_ != lead::taken || stops_; });
                --idle_;
                if (lead_ == lead::taken) { return; }
            }
            lead_ = lead::taken;
            auto ended = move_calls(lock);
            if (ended.empty()) { return; }
            lead_ = lead::free;
            if (!moving_.empty() || !waiting_.empty()) {
                try {
                    offer_lead();
                } catch (std::system_error const&) {}  // this thread leads again, but later
            }
            lock.unlock();
            auto const count = announce(ended);
            lock.lock();
            note_announced(count);
        }
    }
    /// Leads until calls have ended that have futures, and returns these; none once all is over.
    /// The mutex is held before and after it.
    std::vector<work_pointer> move_calls(std::unique_lock<std::mutex>& lock) {
        pace now;
        for (;;) {
            auto const called = [this] { return stops_ || !waiting_.empty(); };
            if (moving_.empty() && !called()) {
                if (++now.empty_naps < naps_before_sleep) {
                    wake_.wait_for(lock, nap_without_calls);
                } else {
                    is_asleep_ = true;
                    wake_.wait(lock, called);
                    is_asleep_ = false;
                }
            }
            if (!waiting_.empty()) {
                for (auto& one : waiting_) { moving_.push_back(std::move(one)); }
                waiting_.clear();
                now.reset();
            }
            if (moving_.empty()) {
                if (stops_) { return {}; }
                continue;
            }
            lock.unlock();
            auto ended = move_once(now);
            auto const have_futures = seal(ended);
            auto const count = have_futures ? 0 : announce(ended);
            lock.lock();
            if (have_futures) { return ended; }
            note_announced(count);
        }
    }
    /// Moves all calls once; sleeps where none ends for long. Returns those that have ended.
    std::vector<work_pointer> move_once(pace& now) {
        bool left_alone = false;
        bool has_ended = look(left_alone);
        if (!has_ended && left_alone) {
            std::this_thread::sleep_for(now.nap);
        } else if (!has_ended && now.looks.pause() == coll::detail::waiter::advice::sleep) {
            doze(
                *at_, [&] { return has_ended = look(left_alone); }, now.nap);
        } else if (!has_ended) {
            return {};
        }
        if (has_ended) {
            now.reset();
        } else {
            now.nap = std::min(2 * now.nap, longest_nap);
        }
        std::vector<work_pointer> ended;
        for (auto& one : moving_) {
            if (one->has_ended()) { ended.push_back(std::move(one)); }
        }
        std::erase_if(moving_, [](auto const& one) { return !one; });
        return ended;
    }
    /// Moves all calls once. Returns whether one has ended; `left_alone`: others wait for all of
    /// them.
    bool look(bool& left_alone) {
        bool one_has_ended = false;
        left_alone = true;
        for (auto const& one : moving_) {
            if (one->waiters.load() > 0 && !one->has_ended()) { continue; }
            left_alone = false;
            one_has_ended = one->step() || one_has_ended;
        }
        return one_has_ended;
    }
    /// Closes each call to late futures: who asks from now on gets one that is complete. Returns
    /// whether somebody has asked for one earlier.
    static bool seal(std::vector<work_pointer> const& ended) {
        bool result = false;
        for (auto const& one : ended) { result = one->seal() || result; }
        return result;
    }
    /// Lets go of those that have ended. Returns how many they were.
    static std::size_t announce(std::vector<work_pointer>& ended) {
        auto const count = ended.size();
        for (auto& one : ended) {
            one->announce();
            one.reset();
        }
        return count;
    }
    void note_announced(std::size_t count) {
        unannounced_ -= count;
        if (unannounced_ == 0 && count > 0) { drained_.notify_all(); }
    }

    std::shared_ptr<seat> at_;
    std::mutex mutex_;
    std::condition_variable wake_, offered_, drained_;
    std::vector<work_pointer> waiting_;
    std::vector<work_pointer> moving_;  ///< the leader's
    std::size_t unannounced_ = 0;
    lead lead_ = lead::free;
    int idle_ = 0;
    bool stops_ = false, is_asleep_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace collectives_torch
