// SPDX-License-Identifier: BSD-3-Clause
// A schedule bound to the bytes of a call: what an executor does in each round, as data.
#pragma once

#include <collectives/schedule/step.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace collectives {

enum class base : std::uint8_t { input, output, scratch };

/// A byte of one of the three buffers of a run.
struct place {
    base where = base::input;
    std::size_t offset = 0;
    friend constexpr bool operator==(place, place) = default;
};

/// A message, or in the direct executor a stretch that a peer reads.
struct transfer {
    int round = 0;
    rank_t peer = 0;
    verb action = verb::send;
    chunk_range chunks{};
    place at{};             // sends: what is sent. Receives: where it lands, unless consumed
    std::size_t bytes = 0;
    bool consumable = false; // a recv_reduce that may be folded in as its bytes come
    int first_fold = 0;      // a consumable receive: the folds it feeds
    int folds = 0;
};

/// One source of a fold: a stretch that receive `transfer` brought, or the rank's own value.
struct fold_source {
    int transfer = -1;       // index into plan::receives; -1: the rank's own value at `own`
    std::size_t offset = 0;  // in that message
};

/// One n-ary reduction of a stretch: sources in rank order.
struct fold {
    place to{};
    place own{};
    std::size_t bytes = 0;
    int first_source = 0;
    int sources = 0;
    bool completes = false;  // all ranks' contributions are in it now
};

struct copy {
    place to{};
    place from{};
    std::size_t bytes = 0;
};

/// What the direct executor must wait for before it overwrites something: a peer that has read it.
struct reader {
    rank_t peer = 0;
    int round = 0;  // the peer must have completed this round
};

template <class T>
struct run_of {  // indices [first, last) into one of the plan's vectors
    int first = 0, last = 0;
};

struct plan_round {
    int number = 0;
    run_of<copy> gathers;       // before anything is sent: makes what is sent contiguous
    run_of<transfer> sends;
    run_of<transfer> receives;
    run_of<fold> folds;
    run_of<reader> overwritten; // direct: who must have read what this round writes
};

/// All a rank does for one run of a schedule. Offsets are bytes; O(steps) to hold.
struct plan {
    int total_rounds = 0;
    std::vector<plan_round> rounds;  // only those in which this rank does something
    std::vector<transfer> sends, receives;
    std::vector<fold> folds;
    std::vector<fold_source> sources;
    std::vector<copy> copies;
    std::vector<reader> overwritten;
    std::vector<copy> epilogue;      // what the output still lacks at the end
    std::vector<reader> readers;     // direct: who must be through before the buffers are the caller's
    std::size_t scratch = 0;         // bytes
};

}  // namespace collectives
