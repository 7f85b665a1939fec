// SPDX-License-Identifier: BSD-3-Clause
// A rank's thread and those that make progress for it in the background, one at a time.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>

namespace collectives {

/// Costs a look at a word for as long as the rank has no thread but its own.
class turns {
public:
    /// Held for as long as it lives, unless nobody shares.
    class turn {
    public:
        explicit turn(turns* of) : of_(of) {}
        turn(turn&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
        turn& operator=(turn&&) = delete;
        ~turn() {
            if (of_ != nullptr) { of_->mutex_.unlock(); }
        }

    private:
        turns* of_;
    };

    /// From now on a thread in the background takes turns too. Only while no turn is held.
    void share() { shared_.store(true, std::memory_order_relaxed); }

    /// Whoever holds a turn may take another within it.
    [[nodiscard, gnu::always_inline]] turn take() {
        return turn(shared_.load(std::memory_order_relaxed) ? locked() : nullptr);
    }
    /// Whether somebody waits for a turn: who takes one turn after the other then leaves a gap.
    bool is_wanted() const { return wanted_.load(std::memory_order_relaxed) != 0; }

private:
    turns* locked() {
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
