// SPDX-License-Identifier: BSD-3-Clause
// Waits for events of descriptors, until a time.
#pragma once

#include <collectives/core/descriptor.hpp>
#include <collectives/core/timeout.hpp>

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::detail {

/// Calls poll() until an event or `until`, but for at most a second: the caller looks at the clock
/// again. True after an event.
inline bool poll_once(pollfd* watched, std::size_t count, steady::time_point until) {
    using std::chrono::milliseconds;
    auto const second = steady::now() + milliseconds(1000);
    auto const left = std::chrono::ceil<milliseconds>(std::min(until, second) - steady::now());
    auto const time = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    return ::poll(watched, count, time) > 0;
}

/// Waits for `events` of one descriptor; false if there is none by `until`.
inline bool wait_for(int fd, short events, steady::time_point until) {
    for (;;) {
        pollfd p{fd, events, 0};
        if (poll_once(&p, 1, until)) { return true; }
        if (steady::now() >= until) { return false; }
    }
}

}  // namespace collectives::detail
