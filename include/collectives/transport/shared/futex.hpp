// SPDX-License-Identifier: BSD-3-Clause
// Sleeping on a word of memory that other processes can wake. std::atomic::wait uses a private
// futex, which another process's wake never reaches.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>

namespace collectives::inline v0::shared {

static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// Sleeps while `word` is `seen`, at most `time`. May return early for no reason.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen,
                       std::chrono::nanoseconds time) {
    timespec limit{};
    limit.tv_sec = static_cast<time_t>(time.count() / 1'000'000'000);
    limit.tv_nsec = static_cast<long>(time.count() % 1'000'000'000);
    ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, &limit, nullptr, 0);
}

/// Wakes all who sleep on `word`.
inline void futex_wake(std::atomic<std::uint32_t>& word) {
    ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace collectives::shared
