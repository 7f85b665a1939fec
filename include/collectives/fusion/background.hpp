// SPDX-License-Identifier: BSD-3-Clause
// The buffer's own thread, which starts and moves buckets while the rank computes.
#pragma once

#include <collectives/core/function_ref.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/service_thread.hpp>
#include <collectives/fusion/bucket_scheduler.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>

namespace collectives::inline v0::detail {

/// Like a bucket_scheduler, but its thread does the work. The thread sleeps while nothing is under
/// way. An exception of the thread ends it; the next call throws it.
class background_scheduler {
public:
    explicit background_scheduler(bucket_scheduler& scheduler)
        : scheduler_(&scheduler),
          thread_(service_thread([](void* its) { static_cast<background_scheduler*>(its)->work(); },
                                 this)) {}
    background_scheduler(background_scheduler const&) = delete;
    background_scheduler& operator=(background_scheduler const&) = delete;
    ~background_scheduler() { stop(); }

    void start(bucket& b, std::uint64_t content) {
        std::lock_guard const lock(mutex_);
        require_unbroken();
        queue_.push_back({&b, content});
        ++under_way_;
        has_more_.store(true, std::memory_order_release);
        work_.notify_one();
    }
    void progress() {
        std::lock_guard const lock(mutex_);
        require_unbroken();
    }
    /// Makes room for so many buckets under way at one time. Call it while none is.
    void reserve(std::size_t buckets) {
        std::lock_guard const lock(mutex_);
        queue_.reserve(buckets);
        starting_.reserve(buckets);
        scheduler_->reserve(buckets);
    }
    /// Like the scheduler's `wait`. After the first call the thread sleeps.
    void wait() {
        wait_until([this] { return under_way_ == 0; });
    }
    void wait(bucket& b, std::uint64_t times_done) {
        wait_until([&] { return b.times_done() != times_done; });
    }
    /// Ends the thread. The scheduler keeps what the thread has started.
    void stop() {
        {
            std::lock_guard const lock(mutex_);
            stop_ = true;
            has_more_.store(true, std::memory_order_release);
            work_.notify_one();
        }
        if (thread_.joinable()) { thread_.join(); }
    }

    /// Starts the buckets that the thread was asked to start and had not, as the other ranks do.
    /// Call it after the thread has ended.
    void start_rest() {
        if (failed_) { return; }
        for (auto const& o : queue_) { scheduler_->start(*o.what, o.content); }
        queue_.clear();
    }

private:
    static constexpr std::chrono::microseconds longest_doze{500};  // new buckets wake nobody

    struct order {
        bucket* what;
        std::uint64_t content;
    };

    void wait_until(function_ref<bool()> holds) {
        std::unique_lock lock(mutex_);
        done_.wait(lock, [&] { return failed_ || holds(); });
        if (!holds()) { require_unbroken(); }
    }
    void require_unbroken() const {
        if (failed_) { std::rethrow_exception(failed_); }
    }
    void work() {
        try {
            scheduler_->begin_thread();
            move();
        } catch (...) {
            scheduler_->report();  // now: the rank may compute for long before its next call
            std::lock_guard const lock(mutex_);
            failed_ = std::current_exception();
            done_.notify_all();
        }
    }
    void move() {
        auto patience = scheduler_->patience();
        std::size_t finished = 0;
        for (;;) {
            {
                std::unique_lock lock(mutex_);
                work_.wait(lock, [&] { return stop_ || under_way_ != 0; });
                if (stop_) { return; }
                has_more_.store(false, std::memory_order_relaxed);
                starting_.swap(queue_);
            }
            for (auto const& o : starting_) { scheduler_->start(*o.what, o.content); }
            if (!starting_.empty()) { patience.reset(); }
            starting_.clear();
            scheduler_->progress();
            if (auto const newly = scheduler_->finished() - finished) {
                finished += newly;
                std::lock_guard const lock(mutex_);
                under_way_ -= newly;
                done_.notify_all();
                patience.reset();
            } else if (patience.pause() == waiter::advice::sleep) {
                scheduler_->doze([this] { return has_more_.load(std::memory_order_acquire); },
                                 longest_doze);
            }
        }
    }

    bucket_scheduler* scheduler_;
    std::mutex mutex_;
    std::condition_variable work_, done_;
    lean_vector<order> queue_;
    lean_vector<order> starting_;  // the thread's own while something is under way
    std::size_t under_way_ = 0;    // in the queue or started, and not finished
    bool stop_ = false;
    std::atomic<bool> has_more_{false};
    std::exception_ptr failed_;
    std::thread thread_;  // last member: the thread uses the others
};

}  // namespace collectives::detail
