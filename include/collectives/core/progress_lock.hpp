// SPDX-License-Identifier: BSD-3-Clause
// Keeps a rank's own thread and the threads that make progress for it apart.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

namespace collectives::inline v0 {

/// A recursive lock that costs one load as long as no other thread than the rank's own may need it.
class progress_lock {
public:
    /// Holds the lock while it lives. Does nothing as long as no other thread shares the lock.
    class guard {
    public:
        explicit guard(progress_lock* of) : of_(of) {}
        guard(guard&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
        guard& operator=(guard&&) = delete;
        ~guard() {
            if (of_ != nullptr) { of_->mutex_.unlock(); }
        }

    private:
        progress_lock* of_;
    };

    /// From now on another thread may use the lock too. Call it only while no guard lives.
    void share() { shared_.store(true, std::memory_order_relaxed); }
    bool is_shared() const { return shared_.load(std::memory_order_relaxed); }

    /// A thread that holds the lock may take it again.
    [[nodiscard, gnu::always_inline]] guard take() {
        return guard(shared_.load(std::memory_order_relaxed) ? locked() : nullptr);
    }
    /// Takes the lock, which must be shared, unless another thread holds it.
    [[nodiscard]] std::optional<guard> try_take() {
        return mutex_.try_lock() ? std::optional<guard>(this) : std::nullopt;
    }
    /// Whether another thread waits for the lock. A thread that polls pauses then.
    bool is_wanted() const { return wanted_.load(std::memory_order_relaxed) != 0; }

private:
    progress_lock* locked() {
        if (mutex_.try_lock()) { return this; }
        wanted_.fetch_add(1, std::memory_order_relaxed);
        mutex_.lock();
        wanted_.fetch_sub(1, std::memory_order_relaxed);
        return this;
    }

    std::recursive_mutex mutex_;
    std::atomic<int> wanted_{0};
    std::atomic<bool> shared_{false};
};

}  // namespace collectives
