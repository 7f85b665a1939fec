// SPDX-License-Identifier: BSD-3-Clause
// A schedule bound to the bytes of a call, round by round. Lowering writes instructions from it.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/plan/plan.hpp>
#include <collectives/schedule/step.hpp>

#include <algorithm>
#include <cstddef>

namespace collectives::inline v0::lowering {

using plans::index_range;
using plans::is_staged;
using plans::memory;
using plans::protocol;
using plans::uses_scratch_once;

/// A byte of one of the three buffers of a run.
struct place {
    memory where = memory::input;
    std::size_t offset = 0;
    friend constexpr bool operator==(place, place) = default;
};

/// Whether two ranges of bytes share any.
[[gnu::cold, gnu::noinline]] constexpr bool overlap(place a, std::size_t a_bytes, place b,
                                                    std::size_t b_bytes) {
    return a.where == b.where && a.offset < b.offset + b_bytes && b.offset < a.offset + a_bytes;
}

/// A message, or a range that a peer reads.
struct bound_transfer {
    int round = 0;
    rank_t peer = 0;
    verb action = verb::send;
    chunk_range chunks{};
    place at{};  // source of a send; target of a receive, unless it is reduced as it comes
    std::size_t bytes = 0;
    bool consumable = false;  // a recv_reduce that may be reduced as its bytes come
    int first_reduction = 0;  // a consumable receive: the reductions it feeds
    int reductions = 0;
    bool dead_after = false;  // a received copy: nobody reads it again before the run ends
};

/// One source of a reduction: a range of receive `transfer`, or the rank's own value.
struct reduction_source {
    int transfer = -1;       // index into bound_schedule::receives; -1: the rank's own value
    std::size_t offset = 0;  // in that message
};

/// One n-ary reduction of a range, with its sources in rank order.
struct bound_reduction {
    place to{};
    place own{};
    std::size_t bytes = 0;
    int first_source = 0;
    int sources = 0;
    bool completes = false;   // it has all contributions now
    bool dead_after = false;  // nobody reads the result again before the run ends
    bool stages = false;      // it goes to `staged` as well, for peers to read
    place staged{};
};

struct bound_copy {
    place to{};
    place from{};
    std::size_t bytes = 0;
    bool completes = false;  // it is a result of one contribution, which no reduction has made
};

/// A peer that must have finished a round before something that it reads is overwritten.
struct reader {
    rank_t peer = 0;
    int round = 0;
};

/// Adds a reader to those from `first` on. Of a peer's rounds, the last one counts.
[[gnu::cold]] inline void note_reader(lean_vector<reader>& list, int first, reader r) {
    for (auto* same = list.begin() + first; same != list.end(); ++same) {
        if (same->peer == r.peer) {
            same->round = std::max(same->round, r.round);
            return;
        }
    }
    list.push_back(r);
}

struct bound_round {
    int number = 0;
    index_range gathers;        // copies before the sends, to make values contiguous or reachable
    index_range gathered_over;  // in memory: the readers of what the gathers write over
    index_range sends;
    index_range receives;
    index_range reductions;
    index_range overwritten;  // in memory: the readers of what this round writes over
};

/// What a protocol requires of the binding.
struct binding {
    protocol how = protocol::eager;
    /// Neighbouring chunks lie side by side. They do not in segments of blocks, or in a cut.
    bool whole_ranges = true;
};

struct bound_schedule {
    int total_rounds = 0;
    lean_vector<bound_round> rounds;  // only those in which this rank does something
    lean_vector<bound_transfer> sends, receives;
    lean_vector<bound_reduction> reductions;
    lean_vector<reduction_source> sources;
    lean_vector<bound_copy> copies;
    lean_vector<reader> overwritten;
    lean_vector<bound_copy> epilogue;  // what the output still lacks at the end
    lean_vector<reader> readers;       // in memory: the peers that must finish before the run ends
    std::size_t scratch = 0;           // bytes
};

}  // namespace collectives::lowering
