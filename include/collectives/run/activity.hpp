// SPDX-License-Identifier: BSD-3-Clause
// Something under way on a communicator: a collective, a send or a receive.
#pragma once

#include <collectives/core/fingerprint.hpp>
#include <collectives/core/timeout.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <string>

namespace collectives::inline v0::detail {

/// An operation's place among those of its communicator.
struct entry {
    std::uint64_t sequence = 0;  // its number
    std::uint64_t past = 0;      // hash of all calls before it
    std::uint64_t mark = 0;      // the same, with its own
};

/// Driven by its engine, which calls `progress` whenever something may have happened.
class activity {
public:
    activity() = default;
    activity(activity const&) = delete;
    activity& operator=(activity const&) = delete;
    virtual ~activity() = default;

    /// Does what can be done without waiting. True once there is nothing left to do. Does not
    /// throw: what the caller's operator throws goes to `thrown`.
    virtual bool progress() = 0;
    /// Takes back what was posted; `progress` is not called any more.
    virtual void cancel() = 0;

    /// Sets the deadline. A blocking call looks at the clock only once it has to wait.
    void start_clock(steady::time_point now) {
        if (deadline != steady::time_point{}) { return; }
        deadline =
            allowed == std::chrono::nanoseconds::max() ? steady::time_point::max() : now + allowed;
    }

    /// Whether it is time to look for a reason, every `interval` once it has begun to wait.
    bool is_due(steady::time_point now, std::chrono::nanoseconds interval) {
        if (next_look == steady::time_point{}) { next_look = now + interval; }
        if (!suspicious && now < next_look && now < deadline) { return false; }
        next_look = now + interval;
        return true;
    }

    fingerprint call;       // what was called, with its number on the communicator
    rank_t only_peer = -1;  // of a send or receive: the peer it needs; else it needs all
    std::chrono::nanoseconds allowed{};  // the time the whole call may take
    steady::time_point deadline{};
    steady::time_point next_look{};  // when a test looks next for a reason why it does not end
    std::uint64_t ticks = 0;         // grows when something moved
    bool done = false;
    bool suspicious = false;  // a message or a peer's entry does not fit: look at once
    std::string suspicion;    // in words, where the fingerprints do not tell
    rank_t suspect = -1;      // whose call does not fit: perhaps it has yet to leave word of it
    std::exception_ptr thrown;
};

}  // namespace collectives::detail
