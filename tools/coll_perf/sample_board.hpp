// SPDX-License-Identifier: BSD-3-Clause
// The memory in which the ranks of one launch meet: a barrier, a common decision, and the times
// that every rank measured. It uses no library, so that the drivers of the peers meet in the same
// way.
#pragma once

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace coll_perf {

/// What is timed in an iteration.
enum class figure { sample, copy, copy_past_cache, round_trip, whole, work, loop };
inline constexpr int figures = 7;

/// What a rank says that ends because another one did.
inline constexpr char const* another_gave_up = "another rank gave up";

/// Zeroed memory, shared by all ranks, of `bytes_for(...)` bytes. Each rank has a `board` of its
/// own that looks at it, and calls the same functions in the same order as the others.
class board {
public:
    static std::size_t bytes_for(int ranks, int iterations) {
        return sizeof(head) +
               figures * static_cast<std::size_t>(ranks) * row_of(iterations) * sizeof(double);
    }

    /// `core_per_rank`: a rank that waits may spin; else it yields at once.
    board(void* memory, int ranks, int iterations, bool core_per_rank)
        : head_(static_cast<head*>(memory)),
          times_(reinterpret_cast<double*>(head_ + 1)),
          ranks_(ranks),
          row_(row_of(iterations)),
          spins_(core_per_rank) {}

    int ranks() const { return ranks_; }
    bool core_per_rank() const { return spins_; }

    /// Returns once all ranks have called it. Throws if one has given up.
    void meet() {
        ++met_;
        auto const all = met_ * static_cast<std::uint64_t>(ranks_);
        head_->arrived.fetch_add(1, std::memory_order_acq_rel);
        wait([&] { return head_->arrived.load(std::memory_order_acquire) >= all; });
    }
    /// Ends the waits of all.
    void give_up() { head_->given_up.store(1); }
    bool is_given_up() const { return head_->given_up.load(std::memory_order_relaxed) != 0; }

    /// What rank 0 says, on all ranks.
    std::uint64_t agree(int rank, std::uint64_t value) {
        if (rank == 0) { head_->agreed.store(value); }
        meet();
        value = head_->agreed.load();
        meet();  // the next one overwrites it
        return value;
    }
    /// The sum of what the ranks say, on all of them.
    std::uint64_t sum(int rank, std::uint64_t mine) {
        if (rank == 0) { head_->sum.store(0); }
        meet();
        head_->sum += mine;
        meet();
        mine = head_->sum.load();
        meet();
        return mine;
    }
    /// Rank 0 sees everybody's times after this.
    void collect() { meet(); }

    /// Seconds of rank `rank` in an iteration.
    double& time(figure f, int rank, int iteration) {
        auto const line = static_cast<std::size_t>(static_cast<int>(f) * ranks_ + rank);
        return times_[line * row_ + static_cast<std::size_t>(iteration)];
    }
    /// Sends a cache line there and back between ranks 0 and 1; others do nothing.
    void exchange_line(int rank, int turns) {
        if (rank > 1 || ranks_ < 2) { return; }
        auto& mine = rank == 0 ? head_->ping : head_->pong;
        auto& theirs = rank == 0 ? head_->pong : head_->ping;
        for (int i = 0; i < turns; ++i) {
            ++turn_;
            if (rank == 0) { mine.store(turn_, std::memory_order_release); }
            wait([&] { return theirs.load(std::memory_order_acquire) >= turn_; });
            if (rank == 1) { mine.store(turn_, std::memory_order_release); }
        }
    }

private:
    struct head {
        alignas(128) std::atomic<std::uint64_t> arrived;
        alignas(128) std::atomic<std::uint64_t> given_up;
        std::atomic<std::uint64_t> agreed, sum;
        alignas(128) std::atomic<std::uint64_t> ping;
        alignas(128) std::atomic<std::uint64_t> pong;
    };

    // A rank's row begins on a cache line of its own, so that writing times disturbs nobody.
    static std::size_t row_of(int iterations) {
        return (static_cast<std::size_t>(iterations) + 15) / 16 * 16;
    }

    template <class Ready>
    void wait(Ready const& ready) {
        for (unsigned turns = 1; !ready(); ++turns) {
            if (spins_ && turns % 1024 != 0) {
#if defined(__x86_64__)
                __builtin_ia32_pause();
#endif
                continue;
            }
            if (is_given_up()) { throw std::runtime_error(another_gave_up); }
            ::sched_yield();
        }
    }

    head* head_;
    double* times_;
    int ranks_;
    std::size_t row_;
    bool spins_;
    std::uint64_t met_ = 0;
    std::uint64_t turn_ = 0;
};

/// What an iteration took: the time of its slowest rank.
double slowest(auto& meeting, figure f, int iteration) {
    double most = 0;
    for (int r = 0; r < meeting.ranks(); ++r) {
        most = std::max(most, meeting.time(f, r, iteration));
    }
    return most;
}

/// The mean of a rank's first `iterations`.
double mean(auto& meeting, figure f, int rank, int iterations) {
    double total = 0;
    for (int i = 0; i < iterations; ++i) { total += meeting.time(f, rank, i); }
    return iterations > 0 ? total / iterations : 0;
}

}  // namespace coll_perf
