// SPDX-License-Identifier: BSD-3-Clause
// A plan: all that one rank does for one run of a schedule, as a list of instructions on bytes.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/plan/instruction.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace collectives::inline v0::plans {

/// How bytes travel. lower/protocol.hpp says when each is chosen and what it costs.
enum class protocol : std::uint8_t {
    eager,           // messages, each received in a place of its own
    stream_reduce,   // messages, reduced as they come where possible
    zero_copy,       // peers read values where they are
    staged,          // peers read only scratch; what they need is copied there
    staged_once,     // staged, and no place is written twice in a run
    staged_results,  // staged_once, but peers read inputs where they are
    cells,           // each rank's whole input is in its cell
    cells_beside,    // each rank's whole input is in memory that its cell names
};

/// The back end that runs plans of a protocol.
enum class backend : std::uint8_t { messages, memory, cells };
constexpr backend backend_of(protocol p) {
    return p <= protocol::stream_reduce    ? backend::messages
           : p <= protocol::staged_results ? backend::memory
                                           : backend::cells;
}
constexpr bool is_staged(protocol p) {
    return p >= protocol::staged && p <= protocol::staged_results;
}
/// Whether no place in scratch is used twice in a run. Such scratch outlives the run.
constexpr bool uses_scratch_once(protocol p) {
    return p == protocol::staged_once || p == protocol::staged_results;
}
/// Whether peers read values in this buffer.
constexpr bool is_read(protocol p, memory where) {
    return !is_staged(p) || where == memory::scratch ||
           (p == protocol::staged_results && where == memory::input);
}

/// What a rank announces when it enters a run. Peers derive from it where the rank keeps what they
/// read.
struct announcement {
    protocol how = protocol::eager;
    bool in_place = false;
    bool takes_results = false;  // ranks that add up, or send last, write to this rank's output
    bool shares_copies = false;  // if two do, one reads the first half, the other writes the second

    /// The announcement as one number, and back.
    constexpr std::uint64_t word() const {
        return static_cast<std::uint64_t>(how) << 3 | (shares_copies ? 4U : 0U) |
               (in_place ? 2U : 0U) | (takes_results ? 1U : 0U);
    }
    static constexpr announcement of(std::uint64_t word) {
        return {static_cast<protocol>(word >> 3), (word & 2) != 0, (word & 1) != 0,
                (word & 4) != 0};
    }
    friend constexpr bool operator==(announcement, announcement) = default;
};
static_assert(announcement::of(announcement{protocol::staged, true, false, true}.word()) ==
              announcement{protocol::staged, true, false, true});

/// When a run's scratch may be used by another run.
enum class scratch_life : std::uint8_t {
    run,      // as soon as this rank has left the run
    channel,  // when the next run on the same channel begins
    ring,     // when the staging ring comes round to it: after nine pieces or more
};

/// What this rank keeps ready for a peer to read. The k-th offer to a peer is what that peer's plan
/// calls offer k; offers match first in, first out, as messages do.
struct offer {
    rank_t to = -1;
    int round = 0;
    place at{};
    std::size_t bytes = 0;
    friend constexpr bool operator==(offer const&, offer const&) = default;
};

/// A plan has no branch and no loop. Offsets are bytes. It takes O(steps) memory.
struct plan {
    rank_t rank = 0;
    int size = 1;
    announcement shown{};
    scratch_life keeps = scratch_life::run;
    bool fences_at_end = false;  // streaming stores came after the last publish
    std::size_t scratch = 0;     // bytes
    lean_vector<instruction> program;
    lean_vector<place> sources;
    lean_vector<destination> destinations;
    lean_vector<offer> offers;
    friend bool operator==(plan const&, plan const&) = default;
};

/// The windows of successive runs. Runs have the same numbers on all ranks and begin in that order.
/// Run r uses counter r % channels of each rank. A rank begins it once the rank itself has left run
/// r - runs_at_once and all peers have left run r - channels.
inline constexpr int channels = 8;
inline constexpr int runs_at_once = channels / 2;
/// The pieces of the largest size that fit the staging ring. A piece may be read until the eighth
/// run after it begins, and no piece crosses the end of the ring.
inline constexpr int ring_pieces = channels + 1;

/// The windows of calls in cells, which follow each other. Call n uses cell n % depth. A rank
/// writes it once all ranks have written that of call n - depth + 1, and so have finished call n -
/// depth.
inline constexpr int few_cells = 64, more_cells = 16;
/// The pieces of the ring beside the cells; its inputs belong to calls with `more_cells`.
inline constexpr int beside_pieces = more_cells + 1;

/// Scratch is handed out in whole cache lines.
constexpr std::size_t whole_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

constexpr std::string_view name(protocol p) {
    constexpr std::string_view names[] = {"eager",  "stream_reduce", "zero_copy",
                                          "staged", "staged_once",   "staged_results",
                                          "cells",  "cells_beside"};
    return names[static_cast<std::size_t>(p)];
}

}  // namespace collectives::plans
