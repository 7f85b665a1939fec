// SPDX-License-Identifier: BSD-3-Clause
// That a rank is in its peers' memory, and waiting until none is: neither by itself nor by a kernel
// that waits for its peers.
#pragma once

#include <collectives/core/types.hpp>
#include <collectives/executor/diagnosis.hpp>
#include <collectives/executor/group.hpp>
#include <collectives/executor/waiter.hpp>

#include <chrono>
#include <cstdint>
#include <thread>

namespace collectives {

/// This rank is in a peer's memory as long as it lives, even if the operator throws.
template <class Transport>
class stay_inside {
public:
    explicit stay_inside(Transport& t) : transport_(t) { t.enter_memory(); }
    stay_inside(stay_inside const&) = delete;
    stay_inside& operator=(stay_inside const&) = delete;
    ~stay_inside() { transport_.leave_memory(); }

private:
    Transport& transport_;
};

/// How a rank leaves a failed operation: the stop word is set, and a peer looks at it after it has
/// said that it is inside and before it reads or writes. So a peer seen outside once does not come
/// back, and when none is inside any more the buffers may go. One that died or was stopped by a
/// signal is not waited for; if it goes on, it may still write a strip. `guests`: a bit for each
/// rank whose kernels may be inside as well.
template <class Transport>
void wait_until_nobody_is_inside(Transport& t, rank_group const& group, std::uint64_t guests) {
    auto const is_guest = [&](rank_t r) {
        if constexpr (requires { t.drives(r); }) {
            return guests != 0 && (guests >> r & 1U) != 0 && t.drives(group.job_rank(r));
        } else {
            return false;
        }
    };
    if constexpr (requires { t.inside(rank_t{}); }) {
        for (rank_t r = 0; r < group.size(); ++r) {
            auto const peer = group.job_rank(r);
            waiter patience(false);
            auto const is_inside = [&] {
                return (t.inside(peer) && !detail::is_suspended(t, peer)) || is_guest(r);
            };
            while (r != group.rank() && is_inside() && !t.gone(peer)) {
                if (patience.pause() == waiter::advice::sleep) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
            }
        }
    }
}

/// Calls f on what starts kernels that wait for peers, if that is what the communicator with this
/// context does.
template <class Transport, class F>
void with_driver(Transport& t, std::uint64_t context, F const& f) {
    if constexpr (requires { t.driver(); }) {
        auto* const its = t.driver();
        if (its != nullptr && its->context == context) { f(*its); }
    }
}

}  // namespace collectives
