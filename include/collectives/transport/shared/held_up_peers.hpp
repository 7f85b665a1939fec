// SPDX-License-Identifier: BSD-3-Clause
// When a rank takes messages that it does not await, because a peer finds no room for more.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/transport/shared/rings.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::shared {

/// Helps peers that ask this rank for room, by taking all messages that have come. A message that
/// comes before its receive is copied once more. So this rank first waits for a while, in which it
/// may come to the messages anyway. It helps each peer that it has told of no room in all that
/// time.
class held_up_peers {
public:
    static constexpr auto patience = std::chrono::microseconds(20);

    [[gnu::cold]] held_up_peers(state const& job, rank_t me, rings& from)
        : job_(job), me_(me), from_(from), told_(static_cast<std::size_t>(job.size())) {}
    held_up_peers(held_up_peers const&) = delete;  // it refers to the rings beside it
    held_up_peers& operator=(held_up_peers const&) = delete;

    /// Looks whether a peer has asked, and whether it is time to help.
    void look() {
        if (waits()) {
            helps_ = helps_ || steady::now() - since_ >= patience;
        } else if (job_.status(me_).holds_up.load(std::memory_order_seq_cst) != 0) {
            note();
        }
    }
    /// For how long a thread of this rank may sleep that would else sleep for `most`. Safe from any
    /// thread.
    std::chrono::nanoseconds longest_sleep(std::chrono::nanoseconds most) const {
        return waits() ? std::min<std::chrono::nanoseconds>(most, patience) : most;
    }
    /// Whether to take all that has come from a peer.
    bool helps(rank_t peer) const {
        return helps_ && told_[static_cast<std::size_t>(peer)] == from_.reports(peer);
    }
    /// Ends the help once all have got it. An exception before leaves the rest for the next pass.
    void end() {
        if (!helps_) { return; }
        helps_ = false;
        waits_.store(false, std::memory_order_relaxed);
    }

private:
    bool waits() const { return waits_.load(std::memory_order_relaxed); }
    /// Peers that are held up from now on ask once more. So none is forgotten that is held up anew
    /// after it was told of room. A thread of this rank that sleeps, or is about to, looks again.
    [[gnu::cold]] void note() {
        job_.status(me_).holds_up.store(0, std::memory_order_seq_cst);
        since_ = steady::now();
        rank_t peer = 0;
        for (auto& its : told_) { its = from_.reports(peer++); }
        waits_.store(true, std::memory_order_relaxed);
        job_.ring(me_);
    }

    state job_;
    rank_t me_;
    rings& from_;
    steady::time_point since_{};
    lean_vector<std::uint64_t> told_;  // how often each peer had been told of room
    std::atomic<bool> waits_ = false;
    bool helps_ = false;
};

}  // namespace collectives::shared
