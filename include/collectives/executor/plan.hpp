// SPDX-License-Identifier: BSD-3-Clause
// A schedule bound to the bytes of a call: what an executor does in each round, as data.
#pragma once

#include <collectives/core/deferred.hpp>
#include <collectives/schedule/step.hpp>

#include <algorithm>
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

/// Whether two stretches of bytes share any.
constexpr bool overlap(place a, std::size_t a_bytes, place b, std::size_t b_bytes) {
    return a.where == b.where && a.offset < b.offset + b_bytes && b.offset < a.offset + a_bytes;
}

/// A message, or in the direct executor a stretch that a peer reads.
struct transfer {
    int round = 0;
    rank_t peer = 0;
    verb action = verb::send;
    chunk_range chunks{};
    place at{};  // sends: what is sent. Receives: where it lands, unless consumed
    std::size_t bytes = 0;
    bool consumable = false;  // a recv_reduce that may be folded in as its bytes come
    int first_fold = 0;       // a consumable receive: the folds it feeds
    int folds = 0;
    bool rests = false;  // a received copy: nobody reads it again before the run ends
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
    bool rests = false;      // nobody reads the result again before the run ends
    bool stages = false;     // it goes to `staged` as well, where peers read it
    place staged{};
};

struct copy {
    place to{};
    place from{};
    std::size_t bytes = 0;
};

/// What the direct executor must wait for before it overwrites something: a peer that has read it.
struct reader {
    rank_t peer = 0;
    int round = 0;  // the peer must be through with this round
};

/// Adds a reader to those from `first` on; of a peer's rounds the last one counts.
template <class X = void>
void note_reader(deferred<std::vector<reader>, X>& list, int first, reader r) {
    auto const from = list.begin() + first;
    auto const same =
        std::find_if(from, list.end(), [&](auto const& x) { return x.peer == r.peer; });
    if (same == list.end()) {
        list.push_back(r);
    } else {
        same->round = std::max(same->round, r.round);
    }
}

template <class T>
struct run_of {  // indices [first, last) into one of the plan's vectors
    int first = 0, last = 0;
    bool empty() const { return first == last; }
};

struct plan_round {
    int number = 0;
    run_of<copy> gathers;  // before anything is sent: makes what is sent contiguous, or reachable
    run_of<reader> gathered_over;  // in memory: who must have read what the gathers write over
    run_of<transfer> sends;
    run_of<transfer> receives;
    run_of<fold> folds;
    run_of<reader> overwritten;  // in memory: who must have read what this round writes over
};

/// How values get from rank to rank, which decides what a plan has to provide.
enum class passage : std::uint8_t {
    messages,  // they are sent, and need a place to land
    consumed,  // likewise, but may be folded in as they come
    direct,    // peers read them where they lie: no landing place, but hazards
    staged,    // likewise, but peers reach scratch alone: what they read is copied there
    apart,     // likewise, and nothing is copied to where a peer has read
    image,     // peers see each rank's input as it was at the start
};  // peers tell each other whether it is direct, staged or apart: neighbours, in this order
inline constexpr auto passages = static_cast<std::size_t>(passage::image) + 1;
constexpr bool in_memory(passage p) { return p >= passage::direct; }
constexpr bool is_staged(passage p) { return p == passage::staged || p == passage::apart; }

struct planning {
    passage how = passage::messages;
    bool whole_ranges = true;  // neighbouring chunks lie side by side (not so in slices of blocks)
};

/// Where a rank keeps what its peers read follows from its schedule and from these.
struct plan_variant {
    bool in_place = false;
    passage how = passage::direct;  // or one of those that are staged
    static constexpr std::size_t count =
        2 * (static_cast<std::size_t>(passage::image) - static_cast<std::size_t>(passage::direct));
    constexpr std::size_t index() const {
        return (in_place ? 1U : 0U) + 2 * static_cast<std::size_t>(how) - 2 * first;
    }
    static constexpr plan_variant of(std::size_t i) {
        return {i % 2 != 0, static_cast<passage>(first + i / 2)};
    }

private:
    static constexpr auto first = static_cast<std::size_t>(passage::direct);
};

static_assert(plan_variant::of(plan_variant{true, passage::apart}.index()).how == passage::apart &&
              plan_variant{true, passage::apart}.index() + 1 == plan_variant::count);

/// All a rank does for one run of a schedule. Offsets are bytes; O(steps) to hold.
struct plan {
    int total_rounds = 0;
    std::vector<plan_round> rounds;  // only those in which this rank does something
    std::vector<transfer> sends, receives;
    std::vector<fold> folds;
    std::vector<fold_source> sources;
    std::vector<copy> copies;
    std::vector<reader> overwritten;
    std::vector<copy> epilogue;   // what the output still lacks at the end
    std::vector<reader> readers;  // direct: who must be through before the buffers are the caller's
    std::size_t scratch = 0;      // bytes
    std::vector<int> in_two;      // rounds of the algorithm that are two here, in ascending order

    /// The algorithm's number of a round of this plan.
    int algorithms_round(int round) const {
        for (std::size_t i = in_two.size(); i > 0; --i) {
            auto const second = in_two[i - 1] + static_cast<int>(i);
            if (second <= round) { return round - static_cast<int>(i); }
        }
        return round;
    }
};

}  // namespace collectives
