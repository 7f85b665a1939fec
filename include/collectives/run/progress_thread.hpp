// SPDX-License-Identifier: BSD-3-Clause
// A thread that makes progress while the rank computes.
#pragma once

#include <collectives/run/waiter.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace collectives::inline v0::detail {

/// Calls `look` repeatedly: at once while it moves something, then with yields, then with naps in
/// between. While nothing is under way, the thread sleeps. An exception of `look` ends the thread;
/// the rank that waits meets the same failure itself.
class progress_thread {
public:
    enum class found : std::uint8_t { nothing_to_do, nothing_new, something };

    explicit progress_thread(std::function<found()> look)
        : look_(std::move(look)), thread_([this] {
              try {
                  work();
              } catch (...) {  // NOLINT: see above
              }
          }) {}
    progress_thread(progress_thread const&) = delete;
    progress_thread& operator=(progress_thread const&) = delete;
    ~progress_thread() {
        signal(stop_);
        thread_.join();
    }

    /// Wakes the thread: there is something new to move.
    void wake() { signal(has_news_); }

private:
    static constexpr std::chrono::microseconds shortest_nap{50}, longest_nap{1000};

    void signal(bool& what) {
        std::lock_guard const lock(mutex_);
        what = true;
        wake_.notify_one();
    }
    void work() {
        waiter patience(false);
        auto nap = shortest_nap;
        for (;;) {
            auto const now = look_();
            if (now == found::nothing_new && patience.pause() != waiter::advice::sleep) {
                continue;
            }
            std::unique_lock lock(mutex_);
            auto const called = [this] { return stop_ || has_news_; };
            if (now == found::nothing_to_do) {
                wake_.wait(lock, called);
            } else if (now == found::nothing_new) {
                wake_.wait_for(lock, nap, called);
                nap = std::min(2 * nap, longest_nap);
            }
            if (stop_) { return; }
            if (has_news_ || now == found::something) {
                has_news_ = false;
                patience.reset();
                nap = shortest_nap;
            }
        }
    }

    std::function<found()> look_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool stop_ = false, has_news_ = false;
    std::thread thread_;  // last member: the thread uses the others
};

}  // namespace collectives::detail
