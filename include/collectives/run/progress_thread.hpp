// SPDX-License-Identifier: BSD-3-Clause
// A thread that makes progress while ranks compute: one for all ranks and communicators of a
// process.
#pragma once

#include <collectives/core/growing_nap.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/service_thread.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/run/waiter.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

namespace collectives::inline v0::detail {

/// Looks at its tasks again and again: at once while one of them moves something, then with yields,
/// then with naps in between. While none has anything to do, the thread sleeps. An exception of a
/// task ends that task; the rank that waits meets the same failure itself.
class progress_thread {
public:
    enum class found : std::uint8_t { nothing_to_do, nothing_new, something };

    /// Something to carry on. `progress` must not wait for other tasks.
    struct task {
        void* of;
        found (*progress)(void* of);
    };

    progress_thread()
        : thread_(service_thread([](void* its) { static_cast<progress_thread*>(its)->work(); },
                                 this)) {}
    progress_thread(progress_thread const&) = delete;
    progress_thread& operator=(progress_thread const&) = delete;
    ~progress_thread() {
        {
            std::lock_guard const lock(mutex_);
            stop_ = true;
            wake_.notify_one();
        }
        thread_.join();
    }

    /// The thread of this process. It may run wherever the process may, not only on the core to
    /// which the first rank that needs it is pinned. It ends with the last pointer to it.
    static std::shared_ptr<progress_thread> of_process() {
        static auto& mutex = *new std::mutex;  // these outlive all threads that may still run
        static auto& one = *new std::weak_ptr<progress_thread>;
        static ::pid_t of = 0;
        std::lock_guard const lock(mutex);
        auto its = of == ::getpid() ? one.lock() : nullptr;  // a child has none of its parent's
        if (!its) {
            one = its = make_shared_object<progress_thread>();
            run_where_process_may(its->thread_);
            of = ::getpid();
        }
        return its;
    }

    void add(task t) {
        std::lock_guard const lock(mutex_);
        tasks_.push_back(t);
    }
    /// The thread does not look at this task any more once this returns. The task's own thread must
    /// not call it, nor one that holds what the task waits for.
    void remove(void const* of) {
        std::unique_lock lock(mutex_);
        tasks_.erase_if([&](task const& t) { return t.of == of; });
        has_news_ = true;  // the thread may have passed over the task behind the one removed
        wake_.notify_one();
        looked_.wait(lock, [&] { return current_ != of; });
    }
    /// Whether this process has the thread. A forked child has the object alone.
    bool runs_here() const { return of_ == ::getpid(); }
    /// A task has something new to move.
    void wake() {
        std::lock_guard const lock(mutex_);
        has_news_ = true;
        wake_.notify_one();
    }

private:
    void work() {
        waiter patience(false);
        growing_nap nap(std::chrono::microseconds(50));
        std::unique_lock lock(mutex_);
        while (!stop_) {
            auto const now = look_at_all(lock);
            if (now == found::nothing_new) {
                lock.unlock();
                auto const advice = patience.pause();
                lock.lock();
                if (advice != waiter::advice::sleep) { continue; }
            }
            auto const called = [this] { return stop_ || has_news_; };
            if (now == found::nothing_to_do) {
                wake_.wait(lock, called);
            } else if (now == found::nothing_new) {
                wake_.wait_for(lock, nap.next(), called);
            }
            if (has_news_ || now == found::something) {
                has_news_ = false;
                patience.reset();
                nap.reset();
            }
        }
    }
    /// What the busiest of the tasks found. They may come and go meanwhile.
    found look_at_all(std::unique_lock<std::mutex>& lock) {
        auto most = found::nothing_to_do;
        for (std::size_t i = 0; i < tasks_.size() && !stop_; ++i) {
            auto const t = tasks_[i];
            current_ = t.of;
            lock.unlock();
            auto now = found::nothing_to_do;
            bool failed = false;
            try {
                now = t.progress(t.of);
            } catch (...) {  // NOLINT: see above
                failed = true;
            }
            lock.lock();
            if (failed) {
                tasks_.erase_if([&](task const& other) { return other.of == t.of; });
                has_news_ = true;  // the task behind it has its place now
            }
            current_ = nullptr;
            looked_.notify_all();
            most = std::max(most, now);
        }
        return most;
    }

    std::mutex mutex_;
    std::condition_variable wake_, looked_;
    lean_vector<task> tasks_;
    void* current_ = nullptr;  // whose task is being looked at
    bool stop_ = false, has_news_ = false;
    ::pid_t const of_ = ::getpid();
    std::thread thread_;  // last member: the thread uses the others
};

}  // namespace collectives::detail
