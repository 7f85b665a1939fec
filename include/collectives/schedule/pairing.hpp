// SPDX-License-Identifier: BSD-3-Clause
// Which send belongs to which receive, round by round.
#pragma once

#include <collectives/schedule/schedule.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace collectives::inline v0::detail {

/// Goes through the rounds of all ranks: the k-th send of a round from one rank to another belongs
/// to the k-th receive. The schedules are well formed. Kept lean, as the prover is.
class pairing {
public:
    constexpr explicit pairing(std::span<schedule const> ranks)
        : ranks_(ranks),
          begin_(ranks.size(), 0),
          end_(ranks.size(), 0),
          next_(ranks.size() * ranks.size(), 0) {}

    /// Each rank's steps of the round are those from `begin` to before `end`. Rounds are entered in
    /// order. Returns the number of sends in it.
    [[gnu::cold]] constexpr int enter(int round) {
        int sends = 0;
        for (std::size_t r = 0; r < ranks_.size(); ++r) {
            auto const& steps = ranks_[r].steps;
            begin_[r] = end_[r];
            for (; end_[r] < steps.size() && steps[end_[r]].round == round; ++end_[r]) {
                if (steps[end_[r]].what == verb::send) { ++sends; }
            }
        }
        return sends;
    }
    constexpr std::size_t begin(rank_t r) const { return begin_[static_cast<std::size_t>(r)]; }
    constexpr std::size_t end(rank_t r) const { return end_[static_cast<std::size_t>(r)]; }

    /// The number, among the steps of `peer`, of the next send to `me`; `end(peer)` if there is
    /// none.
    [[gnu::cold]] constexpr std::size_t take_send(rank_t me, rank_t peer) {
        auto const from = static_cast<std::size_t>(peer);
        auto const& theirs = ranks_[from].steps;
        auto& i = next_[from * ranks_.size() + static_cast<std::size_t>(me)];
        if (i < begin_[from]) { i = begin_[from]; }
        while (i < end_[from] && (theirs[i].peer != me || theirs[i].what != verb::send)) { ++i; }
        return i < end_[from] ? i++ : i;
    }

    /// Whether step `i` of this round is a send that no receive has taken.
    [[gnu::cold]] constexpr bool is_left(rank_t r, std::size_t i) const {
        auto const from = static_cast<std::size_t>(r);
        step const& s = ranks_[from].steps[i];
        auto const next = next_[from * ranks_.size() + static_cast<std::size_t>(s.peer)];
        return s.what == verb::send && i >= next;
    }

private:
    std::span<schedule const> ranks_;
    std::vector<std::size_t> begin_, end_;  // each rank's steps of this round
    std::vector<std::size_t> next_;         // of (source, destination): where to look for a send
};

}  // namespace collectives::detail
