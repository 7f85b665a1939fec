// SPDX-License-Identifier: BSD-3-Clause
// Keeps pthread_cancel from ending a thread where the library would not notice.
#pragma once

#include <pthread.h>
#include <time.h>

#include <cerrno>
#include <chrono>

namespace collectives::inline v0::detail {

/// As long as it lives, this thread is not cancelled: a request waits until the program's own code
/// meets a cancellation point. In the middle of a call it would end the thread while peers use its
/// memory, or the process where an exception must not pass.
class without_cancellation {
public:
    [[gnu::cold]] without_cancellation() noexcept {
        ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_);
    }
    without_cancellation(without_cancellation const&) = delete;
    without_cancellation& operator=(without_cancellation const&) = delete;
    [[gnu::cold]] ~without_cancellation() { ::pthread_setcancelstate(before_, nullptr); }

private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

/// Sleeps in a call.
[[gnu::cold, gnu::noinline]] inline void sleep_in_call(std::chrono::nanoseconds time) {
    without_cancellation const until_end;
    constexpr long second = 1'000'000'000;
    ::timespec rest{time.count() / second, time.count() % second};
    while (::nanosleep(&rest, &rest) != 0 && errno == EINTR) {}
}

}  // namespace collectives::detail
