// SPDX-License-Identifier: BSD-3-Clause
// When a rank takes messages that it does not await, because a peer finds no room for more.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/transport/shared/rings.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace collectives::inline v0::shared {

/// The peers that asked this rank for room. A message that comes before its receive is copied once
/// more. So a peer first waits for a while in which this rank may come to its messages anyway. It
/// is helped once it has got no report of room in all that time.
class held_up_peers {
public:
    static constexpr auto patience = std::chrono::microseconds(20);

    [[gnu::cold]] held_up_peers(state job, rank_t me, rings& from)
        : asked_(job.status(me).holds_up),
          from_(from),
          seen_(static_cast<std::size_t>(job.size())) {}

    /// Looks whether a peer has asked, and whether it is time to help. Returns true if a peer has
    /// just asked: the rank must look again before it sleeps.
    bool look() {
        if (!waiting_) { return asked_.load(std::memory_order_seq_cst) != 0 && note(); }
        if (!helping_ && steady::now() - since_ >= patience) {
            asked_.store(0, std::memory_order_seq_cst);
            helping_ = true;
        }
        return false;
    }
    /// Whether to take all that has come from a peer.
    bool helps(rank_t peer) {
        if (!helping_) { return false; }
        auto const in_vain = seen_[static_cast<std::size_t>(peer)] == from_.reports(peer);
        again_ = again_ || !in_vain;  // it may have been held up anew
        return in_vain;
    }
    /// Ends the help once all have got it. An exception in between leaves the rest for the next
    /// pass. Returns true if the rank must look again before it sleeps.
    bool end() {
        if (!helping_) { return false; }
        helping_ = waiting_ = false;
        return std::exchange(again_, false) && note();
    }

private:
    [[gnu::cold]] bool note() {
        waiting_ = true;
        since_ = steady::now();
        rank_t peer = 0;
        for (auto& its : seen_) { its = from_.reports(peer++); }
        return true;
    }

    std::atomic<std::uint32_t>& asked_;
    rings& from_;
    steady::time_point since_{};
    lean_vector<std::uint64_t> seen_;  // reports to each peer until then
    bool waiting_ = false, helping_ = false, again_ = false;
};

}  // namespace collectives::shared
