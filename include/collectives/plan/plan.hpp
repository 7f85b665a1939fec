// SPDX-License-Identifier: BSD-3-Clause
// A plan: all that one rank does for one run of a schedule, as a list of instructions on bytes.
#pragma once

#include <collectives/plan/instruction.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace collectives::inline v0::plans {

/// How bytes travel. lower/protocol.hpp says when each is chosen and what it costs.
enum class protocol : std::uint8_t {
    eager,           // messages; what is received needs a place to land
    stream_reduce,   // messages, reduced as they come where that can be
    zero_copy,       // peers read values where they lie
    staged,          // peers read scratch alone: what they need is copied there
    staged_once,     // likewise, and no place is written twice in a run
    staged_results,  // likewise, but peers read inputs where they lie
    cells,           // each rank's whole input lies in its cell
    cells_beside,    // likewise, but in memory that the cell tells
};

/// What runs plans of a protocol.
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
/// Whether peers read values that lie in this buffer.
constexpr bool is_read(protocol p, memory where) {
    return !is_staged(p) || where == memory::scratch ||
           (p == protocol::staged_results && where == memory::input);
}

/// What a rank announces when it enters a run. Where it keeps what peers read follows from that.
struct announcement {
    protocol how = protocol::eager;
    bool in_place = false;
    bool takes_sums = false;  // whoever adds up writes to this rank's output

    /// All of it in one number, and back.
    constexpr std::uint64_t word() const {
        return static_cast<std::uint64_t>(how) << 2 | (in_place ? 2U : 0U) | (takes_sums ? 1U : 0U);
    }
    static constexpr announcement of(std::uint64_t word) {
        return {static_cast<protocol>(word >> 2), (word & 2) != 0, (word & 1) != 0};
    }
    friend constexpr bool operator==(announcement, announcement) = default;
};
static_assert(announcement::of(announcement{protocol::staged, true, false}.word()) ==
              announcement{protocol::staged, true, false});

/// Who may take a run's scratch over, and when.
enum class scratch_life : std::uint8_t {
    run,      // anybody, as soon as this rank has left the run
    channel,  // anybody, when the next run on the same channel begins
    ring,     // the staging ring, when it comes round: after nine pieces or more
};

/// What this rank keeps ready for a peer to read: the k-th offer to a peer is what that peer's
/// plan calls offer k, as messages are matched first in, first out.
struct offer {
    rank_t to = -1;
    int round = 0;
    place at{};
    std::size_t bytes = 0;
    friend constexpr bool operator==(offer const&, offer const&) = default;
};

/// No branch, no loop. Offsets are bytes; O(steps) to hold.
struct plan {
    rank_t rank = 0;
    int size = 1;
    announcement shown{};
    scratch_life keeps = scratch_life::run;
    bool fences_at_end = false;  // streaming stores came after the last publish
    int rounds = 0;              // of the schedule
    std::size_t scratch = 0;     // bytes
    std::vector<instruction> program;
    std::vector<place> sources;
    std::vector<destination> destinations;
    std::vector<offer> offers;
    friend bool operator==(plan const&, plan const&) = default;
};

/// The windows of successive runs. Runs are numbered alike on all ranks and begin in that order.
/// Run r has counter r % channels of each rank; a rank begins it once it has left run
/// r - runs_at_once itself and once all peers have left run r - channels.
inline constexpr int channels = 8;
inline constexpr int runs_at_once = channels / 2;
/// Pieces of the largest size in the staging ring. A piece may be read until the eighth run after
/// it begins, and a piece does not go across the ring's end.
inline constexpr int ring_pieces = channels + 1;

/// The same of calls in cells, which follow each other: call n has cell n % depth, and a rank
/// writes it once all have written that of call n - depth + 1, so have finished call n - depth.
inline constexpr int few_cells = 64, more_cells = 16;
/// Of inputs that lie beside the cells, which are those of `more_cells`.
inline constexpr int beside_pieces = more_cells + 1;

/// Scratch is handed out in lines of caches.
constexpr std::size_t whole_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

constexpr std::string_view name(protocol p) {
    constexpr std::string_view names[] = {"eager",  "stream_reduce", "zero_copy",
                                          "staged", "staged_once",   "staged_results",
                                          "cells",  "cells_beside"};
    return names[static_cast<std::size_t>(p)];
}

}  // namespace collectives::plans
