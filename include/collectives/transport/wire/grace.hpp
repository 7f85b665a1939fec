// SPDX-License-Identifier: BSD-3-Clause
// How long a rank waits for what a library has not ended yet.
#pragma once

#include <collectives/core/progress_lock.hpp>
#include <collectives/core/timeout.hpp>

#include <thread>

namespace collectives::inline v0::wire {

/// A grace period for a message to end. During each `pause` another thread of the rank may take the
/// lock, and may even drop all data, so check again afterwards.
struct grace {
    steady::time_point until{};     // by default none
    progress_lock* lock = nullptr;  // null: no other thread may need it

    bool is_over() const { return steady::now() >= until; }
    void pause() const {
        std::this_thread::yield();
        if (lock == nullptr || !lock->is_wanted()) { return; }
        progress_lock::unlocked others(*lock);
        others.begin();
        for (int turn = 0; turn < 100 && lock->is_wanted(); ++turn) { std::this_thread::yield(); }
    }
};

}  // namespace collectives::wire
