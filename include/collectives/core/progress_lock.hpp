// SPDX-License-Identifier: BSD-3-Clause
// Keeps a rank's own thread and the threads that make progress for it apart.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

namespace collectives::inline v0 {

/// A lock that costs one load as long as no other thread than the rank's own may need it. Calls of
/// the library nest, so a thread that holds it may take it again, which costs a comparison.
class progress_lock {
public:
    /// Holds the lock while it lives. Does nothing as long as no other thread shares the lock, or
    /// where the thread has a guard already, which must live longer.
    class guard {
    public:
        explicit guard(progress_lock* of) : of_(of) {}
        guard(guard&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
        guard& operator=(guard&&) = delete;
        ~guard() {
            if (of_ != nullptr) { of_->release(); }
        }

    private:
        progress_lock* of_;
    };

    struct attempt {
        guard its;
        bool is_taken;
    };

    /// From now on another thread may use the lock too. Call it only while no guard lives.
    void share() { shared_.store(true, std::memory_order_relaxed); }
    bool is_shared() const { return shared_.load(std::memory_order_relaxed); }

    [[nodiscard, gnu::always_inline]] guard take() {
        return guard(is_shared() ? locked() : nullptr);
    }
    /// Takes the lock, which must be shared, unless another thread holds it.
    [[nodiscard]] attempt try_take() {
        if (is_mine()) { return {guard(nullptr), true}; }
        if (!mutex_.try_lock()) { return {guard(nullptr), false}; }
        return {guard(marked()), true};
    }
    /// Whether another thread waits for the lock. A thread that polls pauses then.
    bool is_wanted() const { return wanted_.load(std::memory_order_relaxed) != 0; }
    /// Lets the thread that waits for the lock have it for a moment. The caller holds the lock.
    void step_aside() {
        if (is_wanted()) [[unlikely]] { hand_over(); }
    }
    /// Whether another thread has ever had to wait for the lock.
    bool was_wanted() const { return was_wanted_.load(std::memory_order_relaxed); }

    /// Between `begin` and `end` other threads may have the lock, whatever guards this thread has.
    /// It has the lock again once `end` or the destructor returns.
    class unlocked {
    public:
        explicit unlocked(progress_lock& of) : of_(of) {}
        unlocked(unlocked const&) = delete;
        unlocked& operator=(unlocked const&) = delete;
        ~unlocked() { end(); }
        /// Does nothing where this thread does not hold the lock.
        void begin() {
            if (!of_.is_mine()) { return; }
            of_.release();
            is_ = true;
        }
        void end() {
            if (std::exchange(is_, false)) { of_.locked(); }
        }

    private:
        progress_lock& of_;
        bool is_ = false;
    };

private:
    /// No other thread writes this one's number.
    bool is_mine() const {
        return holder_.load(std::memory_order_relaxed) == std::this_thread::get_id();
    }
    progress_lock* marked() {
        holder_.store(std::this_thread::get_id(), std::memory_order_relaxed);
        return this;
    }
    [[gnu::noinline]] progress_lock* locked() {
        if (is_mine()) { return nullptr; }
        if (!mutex_.try_lock()) {
            was_wanted_.store(true, std::memory_order_relaxed);
            wanted_.fetch_add(1, std::memory_order_relaxed);
            mutex_.lock();
            wanted_.fetch_sub(1, std::memory_order_relaxed);
        }
        return marked();
    }
    /// A mutex is not fair: this thread would have it again before the other one wakes.
    [[gnu::cold, gnu::noinline]] void hand_over() {
        release();
        for (int turn = 0; turn < 100 && is_wanted(); ++turn) { std::this_thread::yield(); }
        locked();
    }
    void release() {
        holder_.store({}, std::memory_order_relaxed);
        mutex_.unlock();
    }

    std::mutex mutex_;
    std::atomic<std::thread::id> holder_{};
    std::atomic<int> wanted_{0};
    std::atomic<bool> was_wanted_{false};
    std::atomic<bool> shared_{false};
};

}  // namespace collectives
