// SPDX-License-Identifier: BSD-3-Clause
// How long a rank waits for what a library has not ended yet.
#pragma once

#include <collectives/core/progress_lock.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/core/without_cancellation.hpp>

#include <chrono>

namespace collectives::inline v0::wire {

/// A moment for a message to end. Other threads of the rank may have its lock in between, and may
/// even drop all data: so look anew after each `pause`.
struct grace {
    steady::time_point until{};     // by default none
    progress_lock* lock = nullptr;  // null: no other thread may need it

    bool is_over() const { return steady::now() >= until; }
    void pause() const {
        constexpr auto nap = std::chrono::microseconds(20);
        if (lock == nullptr) { return detail::sleep_in_call(nap); }
        progress_lock::unlocked others(*lock);
        others.begin();
        detail::sleep_in_call(nap);
    }
};

}  // namespace collectives::wire
