// SPDX-License-Identifier: BSD-3-Clause
// Which send belongs to which receive, round by round.
#pragma once

#include <collectives/core/lean_list.hpp>
#include <collectives/core/list_view.hpp>
#include <collectives/schedule/schedule.hpp>

#include <cstddef>

namespace collectives::inline v0::detail {

/// Goes through the rounds of all ranks: the k-th send of a round from one rank to another belongs
/// to the k-th receive. The schedules are well formed. Kept lean, as the prover is: a round takes
/// time for the ranks and for its steps, and memory for these, however they are paired.
class pairing {
public:
    constexpr explicit pairing(list_view<schedule const> ranks)
        : ranks_(ranks),
          begin_(ranks.size(), 0),
          end_(ranks.size(), 0),
          to_(ranks.size(), none),
          from_(ranks.size(), none) {}

    struct place {
        rank_t rank;
        std::size_t step;
    };

    /// Each rank's steps of the round are those from `begin` to before `end`. Rounds are entered in
    /// order, when all sends of the one before are taken. Returns the number of sends in it.
    [[gnu::cold]] constexpr std::size_t enter(int round) {
        sends_.clear();
        for (std::size_t r = 0; r < ranks_.size(); ++r) {
            auto const& steps = ranks_[r].steps;
            auto i = begin_[r] = end_[r];
            for (; i < steps.size(); ++i) {
                step const& s = steps[i];
                if (s.round != round) { break; }
                if (s.what != verb::send) { continue; }
                auto& list = to_[index(s.peer)];
                sends_.push_back({r, i, list});
                list = sends_.size() - 1;
            }
            end_[r] = i;
        }
        return sends_.size();
    }
    constexpr std::size_t begin(rank_t r) const { return begin_[index(r)]; }
    constexpr std::size_t end(rank_t r) const { return end_[index(r)]; }

    /// The number, among the steps of `peer`, of the next send to `me`; `end(peer)` if there is
    /// none. A rank takes all that it receives before another rank takes any.
    [[gnu::cold]] constexpr std::size_t take_send(rank_t me, rank_t peer) {
        auto const from = static_cast<std::size_t>(peer);
        sort_by_source(static_cast<std::size_t>(me));
        auto& list = from_[from];
        if (list == none) { return end_[from]; }
        sent const& first = sends_[list];
        // What an earlier rank has left stands behind.
        if (ranks_[from].steps[first.step].peer != me) { return end_[from]; }
        list = first.next;
        return first.step;
    }

    /// Of the sends that no receive has taken, the first one of the first rank; some are left.
    [[gnu::cold]] constexpr place first_left() {
        for (std::size_t r = 0; r < ranks_.size(); ++r) { sort_by_source(r); }
        std::size_t r = 0;
        while (from_[r] == none) { ++r; }
        auto result = end_[r];
        for (auto k = from_[r]; k != none; k = sends_[k].next) {
            result = sends_[k].step < result ? sends_[k].step : result;
        }
        return {static_cast<rank_t>(r), result};
    }

private:
    struct sent {
        std::size_t from, step;
        std::size_t next;  // in its list
    };
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    static constexpr std::size_t index(rank_t r) { return static_cast<std::size_t>(r); }

    /// Moves the sends to `me`, the last one first, to the fronts of the lists of their sources.
    [[gnu::cold]] constexpr void sort_by_source(std::size_t me) {
        auto k = to_[me];
        if (k == none) { return; }
        to_[me] = none;
        while (k != none) {
            sent& s = sends_[k];
            auto& list = from_[s.from];
            auto const next = s.next;
            s.next = list;
            list = k;
            k = next;
        }
    }

    list_view<schedule const> ranks_;
    lean_list<std::size_t> begin_, end_;  // each rank's steps of this round
    lean_list<sent> sends_;               // of this round
    lean_list<std::size_t> to_;    // of each destination: its sends, till it takes the first one
    lean_list<std::size_t> from_;  // of each source: its sends to the destination that takes
};

}  // namespace collectives::detail
