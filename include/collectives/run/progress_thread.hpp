// SPDX-License-Identifier: BSD-3-Clause
// A thread that makes progress while ranks compute: one for all ranks and communicators of a
// process.
#pragma once

#include <collectives/core/growing_nap.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/service_thread.hpp>
#include <collectives/run/waiter.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
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
    /// which the first rank that needs it is pinned. Each that asks for it calls `drop` at the end.
    static progress_thread* of_process() {
        auto& process = this_process();
        std::lock_guard const lock(process.mutex);
        if (process.thread == nullptr || process.of != ::getpid()) {  // a child has none
            process.thread = nullptr;
            process.thread = new progress_thread;
            process.of = ::getpid();
            run_where_process_may(process.thread->thread_);
        } else {
            ++process.thread->users_;
        }
        return process.thread;
    }
    /// One user fewer of a thread that `of_process` or `new` gave. It ends with the last one.
    static void drop(progress_thread* its) {
        auto& process = this_process();
        {
            std::lock_guard const lock(process.mutex);
            if (--its->users_ != 0) { return; }
            if (process.thread == its) { process.thread = nullptr; }
        }
        delete its;
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
    struct process_state {
        std::mutex mutex;
        progress_thread* thread = nullptr;
        ::pid_t of = 0;
    };
    static process_state& this_process() {
        static auto& its = *new process_state;  // outlives all threads that may still run
        return its;
    }

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
    int users_ = 1;  // guarded by the process's mutex
    ::pid_t const of_ = ::getpid();
    std::thread thread_;  // last member: the thread uses the others
};

}  // namespace collectives::detail
