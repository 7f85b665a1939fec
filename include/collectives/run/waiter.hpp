// SPDX-License-Identifier: BSD-3-Clause
// How a rank waits: it spins while every rank may have a core, then yields, then sleeps.
#pragma once

#include <collectives/core/timeout.hpp>

#include <sched.h>

#include <chrono>

namespace collectives::inline v0::detail {

inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// With a core per rank, spins for the first 5 us without a system call, then yields every
/// microsecond or so, because the awaited rank may be on this very core. With fewer cores, yields
/// from the start. After 100 us it asks to sleep.
class waiter {
public:
    enum class advice { look_again, sleep };
    static constexpr auto spin_time = std::chrono::microseconds(5);
    static constexpr auto awake_time = std::chrono::microseconds(100);

    explicit waiter(bool core_per_rank) : spins_(core_per_rank) {}

    advice pause() {
        ++turns_;
        if (spins_ && turns_ % 64 != 0) {
            relax();
            return advice::look_again;
        }
        // The clock takes as long as a small call.
        if (!spins_ && turns_ % 8 != 0 && began_ != steady::time_point{}) {
            ::sched_yield();
            return advice::look_again;
        }
        auto const now = steady::now();
        if (since_ == steady::time_point{}) { since_ = now; }
        if (began_ == steady::time_point{}) { began_ = now; }
        if (spins_ && now - since_ < spin_time) { return advice::look_again; }
        if (now - since_ >= awake_time) { return advice::sleep; }
        ::sched_yield();
        return advice::look_again;
    }
    /// A time before the first yield, which may take a second where others want the processor. None
    /// until then.
    steady::time_point since() const { return began_; }
    /// Begins anew, because something happened.
    void reset() {
        turns_ = 0;
        since_ = {};
    }

private:
    bool spins_;
    unsigned turns_ = 0;
    steady::time_point began_{}, since_{};
};

}  // namespace collectives::detail
