// SPDX-License-Identifier: BSD-3-Clause
// How a rank calls the flight recorder (run/flight_report.hpp), if the program has one.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/text.hpp>
#include <collectives/run/activity.hpp>
#include <collectives/run/group.hpp>
#include <collectives/transport/any_board.hpp>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace collectives::inline v0::detail {

/// One rank of a communicator as a recorder sees it.
struct flight_view {
    any_board const& board;
    rank_group const& group;
    std::uint64_t context;                    // of the communicator
    lean_vector<activity*> const& under_way;  // of this rank, on all its communicators
    activity const* waits;                    // in which it waits; null: it is at no call
};

/// Signals that have asked for a record so far.
inline std::atomic<unsigned> flight_requests{0};
static_assert(std::atomic<unsigned>::is_always_lock_free);  // a signal handler counts

/// What was recorded of a communicator so far.
struct flight_log {
    /// Signals that were answered, or came before the communicator was made.
    unsigned requests = flight_requests.load(std::memory_order_relaxed);
    bool failed = false;  // its failure is recorded
};

struct flight_recorder {
    /// Called when a communicator is made. Throws usage_error if nothing can be recorded.
    void (*open)();
    /// Called now and then while a rank waits, and when a communicator has failed. What it throws
    /// breaks the communicator: so a binding for another language ends a call that a signal stops.
    void (*record)(flight_view const&, flight_log&);
};

/// That of the program; null if it has none.
inline flight_recorder const* linked_flight_recorder = nullptr;

/// The recorder if COLLECTIVES_REPORT asks for one, else null.
[[gnu::cold]] inline flight_recorder const* open_flight_recorder() {
    if (std::getenv("COLLECTIVES_REPORT") == nullptr) { return nullptr; }
    if (linked_flight_recorder == nullptr) {
        throw_error<usage_error>(
            "COLLECTIVES_REPORT is set, but this program cannot report: include "
            "<collectives/report.hpp> in it, or link collectives::compiled");
    }
    linked_flight_recorder->open();
    return linked_flight_recorder;
}

}  // namespace collectives::detail
