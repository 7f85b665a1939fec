// SPDX-License-Identifier: BSD-3-Clause
// Something under way on a communicator: a collective, a send or a receive.
#pragma once

#include <collectives/core/fingerprint.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/core/wait_point.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

namespace collectives::inline v0::detail {

/// An operation's place among those of its communicator.
struct entry {
    std::uint64_t sequence = 0;      // its number
    std::uint64_t past = 0;          // hash of all calls before it
    std::uint64_t history_hash = 0;  // hash of all calls up to and including it
};

/// An activity is driven by its engine, which calls `progress` whenever something may have
/// happened.
class activity {
public:
    activity() = default;
    activity(activity const&) = delete;
    activity& operator=(activity const&) = delete;
    virtual ~activity() = default;

    /// Does what can be done without waiting. Returns true once nothing is left to do. Does not
    /// throw: `thrown` keeps what the caller's operator throws.
    virtual bool progress() = 0;
    /// Takes back what was posted. The engine does not call `progress` afterwards.
    virtual void cancel() = 0;

    /// Where it waits. The call is filled in; round and peer as far as they are known.
    [[gnu::cold]] virtual wait_point where() const {
        return {call.sequence, -1, only_peer, call.what};
    }

    /// Sets the deadline, once. A blocking call reads the clock only when it has to wait: before,
    /// `now` is none.
    void start_clock(steady::time_point now) {
        if (deadline != steady::time_point{} || now == steady::time_point{}) { return; }
        deadline =
            allowed == std::chrono::nanoseconds::max() ? steady::time_point::max() : now + allowed;
    }

    /// Whether it is a send or a receive, which the transport moves.
    bool is_message() const { return only_peer >= 0; }

    /// Whether it was never among what the rank has under way.
    bool ended_at_once() const { return done && place == nowhere; }

    /// Whether it is time to look for a reason why the activity does not end: every `interval`,
    /// once it has begun to wait.
    bool is_due(steady::time_point now, std::chrono::nanoseconds interval) {
        if (next_look == steady::time_point{}) { next_look = now + interval; }
        if (!mismatched && now < next_look && now < deadline) { return false; }
        next_look = now + interval;
        return true;
    }

    static constexpr auto nowhere = static_cast<std::size_t>(-1);

    fingerprint call;                    // what was called, with its number on the communicator
    rank_t only_peer = -1;               // of a send or receive, set before it is under way
    std::chrono::nanoseconds allowed{};  // the time the whole call may take
    steady::time_point deadline{};
    steady::time_point next_look{};  // when a test next looks for a reason why it does not end
    std::uint64_t ticks = 0;         // grows when something moved
    std::size_t place = nowhere;     // among what the rank has under way
    bool done = false;
    bool mismatched = false;      // a message or a peer's entry does not fit: look at once
    std::string mismatch_text;    // what does not fit, if the fingerprints cannot say it
    rank_t mismatched_rank = -1;  // whose call does not fit; it may not have published it yet
    std::exception_ptr thrown;
};

/// How messages name an activity, and a call that has no number yet.
struct title_of {
    activity const& what;
    [[gnu::cold]] std::string operator()() const { return what.call.title(); }
};
struct name_of {
    collective what;
    [[gnu::cold]] std::string operator()() const { return std::string(name(what)); }
};

}  // namespace collectives::detail
