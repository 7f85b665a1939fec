// SPDX-License-Identifier: BSD-3-Clause
// That a rank is in its peers' memory, and waiting until none is.
#pragma once

#include <collectives/core/types.hpp>
#include <collectives/run/group.hpp>
#include <collectives/run/waiter.hpp>
#include <collectives/transport/any_transport.hpp>

#include <chrono>
#include <thread>

namespace collectives {

/// This rank is in a peer's memory as long as it lives, even if the operator throws.
class stay_inside {
public:
    explicit stay_inside(peer_memory& m) : memory_(m) { m.enter_memory(); }
    stay_inside(stay_inside const&) = delete;
    stay_inside& operator=(stay_inside const&) = delete;
    ~stay_inside() { memory_.leave_memory(); }

private:
    peer_memory& memory_;
};

/// How a rank leaves a failed operation: the stop word is set, and a peer looks at it after it has
/// said that it is inside and before it reads or writes. So a peer seen outside once does not come
/// back, and when none is inside any more the buffers may go. One that died or was stopped by a
/// signal is not waited for; if it goes on, it may still write a strip.
inline void wait_until_nobody_is_inside(any_transport& t, rank_group const& group) {
    if (!t.tells_inside()) { return; }
    for (rank_t r = 0; r < group.size(); ++r) {
        if (r == group.rank()) { continue; }
        auto const peer = group.job_rank(r);
        waiter patience(false);
        while (t.inside(peer) && !t.suspended(peer) && !t.gone(peer)) {
            if (patience.pause() == waiter::advice::sleep) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        }
    }
}

}  // namespace collectives
