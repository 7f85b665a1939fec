// SPDX-License-Identifier: BSD-3-Clause
// The wall clock jumps back and forth by an hour while ranks wait with time-outs: nothing changes,
// since the library looks at a steady clock.
#include <faults/harness.hpp>

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

/// In place of the C library's, also for the C++ library.
extern "C" int clock_gettime(clockid_t which, timespec* now) noexcept {
    static std::atomic<int> calls{0};
    auto const status = static_cast<int>(::syscall(SYS_clock_gettime, which, now));
    if (which == CLOCK_REALTIME) { now->tv_sec += calls++ % 2 == 0 ? 3600 : -3600; }
    return status;
}

namespace faults {

kind_of_job const job = on_shm;

TEST_CASE("the wall clock jumps") {
    auto const first = std::chrono::system_clock::now(), second = std::chrono::system_clock::now();
    CHECK_GT(std::chrono::abs(second - first), 1h);
}

}  // namespace faults
