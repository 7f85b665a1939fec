// SPDX-License-Identifier: BSD-3-Clause
// A schedule bound to the bytes of a call: what an executor does in each round, as data.
#pragma once

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
inline void note_reader(std::vector<reader>& list, int first, reader r) {
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
    staged,    // likewise, but peers read scratch alone: what they need is copied there
    apart,     // likewise, and nothing is copied to where a peer has read
    relayed,   // likewise, but peers read input, which must not be written over, where it lies
    image,     // peers see each rank's input as it was at the start
};  // peers tell each other which of those from direct to relayed it is: neighbours, in this order
inline constexpr auto passages = static_cast<std::size_t>(passage::image) + 1;
constexpr bool in_memory(passage p) { return p >= passage::direct; }
/// Whether nothing is copied to where a peer has read: all scratch is handed out once, and must
/// outlive the run.
constexpr bool uses_scratch_once(passage p) { return p == passage::apart || p == passage::relayed; }
/// Whether peers read copies of what lies in an output.
constexpr bool is_staged(passage p) { return p == passage::staged || uses_scratch_once(p); }
/// Whether they read in this buffer.
constexpr bool is_read(passage p, base where) {
    return !is_staged(p) || where == base::scratch ||
           (p == passage::relayed && where == base::input);
}

struct planning {
    passage how = passage::messages;
    bool whole_ranges = true;  // neighbouring chunks lie side by side (not so in slices of blocks)
};

/// Where a rank keeps what its peers read follows from its schedule and from the first two.
struct plan_variant {
    bool in_place = false;
    passage how = passage::direct;  // or one of those that are staged
    bool takes_sums = false;        // besides: whoever adds up writes to this rank's output

    static constexpr std::size_t count =
        2 * (static_cast<std::size_t>(passage::image) - static_cast<std::size_t>(passage::direct));
    constexpr std::size_t index() const {
        return (in_place ? 1U : 0U) + 2 * static_cast<std::size_t>(how) - 2 * first;
    }
    /// All of it in one number, and back.
    constexpr std::uint64_t word() const { return 2 * index() + (takes_sums ? 1 : 0); }
    static constexpr plan_variant of(std::uint64_t word) {
        auto const i = static_cast<std::size_t>(word / 2);
        return {i % 2 != 0, static_cast<passage>(first + i / 2), word % 2 != 0};
    }
    friend constexpr bool operator==(plan_variant, plan_variant) = default;

private:
    static constexpr auto first = static_cast<std::size_t>(passage::direct);
};

static_assert(plan_variant::of(plan_variant{true, passage::relayed, true}.word()) ==
                  plan_variant{true, passage::relayed, true} &&
              plan_variant{true, passage::relayed}.index() + 1 == plan_variant::count);

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
    std::vector<reader> readers;  // in memory: who must be through before the run ends
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
