// SPDX-License-Identifier: BSD-3-Clause
// Marks accesses to peers' memory, and waits until no peer accesses this rank's.
#pragma once

#include <collectives/core/progress_lock.hpp>
#include <collectives/core/types.hpp>
#include <collectives/core/without_cancellation.hpp>
#include <collectives/run/group.hpp>
#include <collectives/run/waiter.hpp>
#include <collectives/transport/any_transport.hpp>

#include <chrono>

namespace collectives::inline v0::detail {

/// This rank accesses peers' memory from `enter` on as long as the object lives, also if the
/// operator throws.
class memory_access {
public:
    explicit memory_access(peer_memory& m) : memory_(m) {}
    memory_access(memory_access const&) = delete;
    memory_access& operator=(memory_access const&) = delete;
    ~memory_access() {
        if (entered_) { memory_.leave_memory(); }
    }
    void enter() {
        if (!entered_) { memory_.enter_memory(); }
        entered_ = true;
    }

private:
    peer_memory& memory_;
    bool entered_ = false;
};

/// How a rank leaves a failed operation. The stop word is set. A peer first marks its access and
/// then reads the stop word, before it reads or writes anything. So a peer that is outside once
/// does not come back, and when no peer is inside the buffers may be freed. A peer that died, or
/// that a signal stopped, is not waited for. If a stopped peer goes on, it may write one more
/// strip, or one more pass of a copy that it shares. The caller holds the rank's lock, which other
/// threads get while this one sleeps.
[[gnu::cold]] inline void wait_until_peers_have_left(any_transport& t, rank_group const& group,
                                                     progress_lock& lock) {
    for (rank_t r = 0; r < group.size(); ++r) {
        if (r == group.rank()) { continue; }
        auto const peer = group.job_rank(r);
        waiter patience(false);
        while (t.accesses_memory(peer) && !t.suspended(peer) && !t.gone(peer)) {
            // This rank is outside, but a peer may have overwritten that it is.
            if (t.device() == nullptr && t.memory() != nullptr) { t.memory()->leave_memory(); }
            if (patience.pause() == waiter::advice::sleep) {
                progress_lock::unlocked pause(lock);
                pause.begin();
                sleep_in_call(std::chrono::milliseconds(1));
            }
        }
    }
}

}  // namespace collectives::detail
