// SPDX-License-Identifier: BSD-3-Clause
// The implementation of `check`: one symbolic run of the schedules of all ranks, round by round.
#pragma once

#include <collectives/core/lean_list.hpp>
#include <collectives/core/list_view.hpp>
#include <collectives/schedule/bracket.hpp>
#include <collectives/schedule/pairing.hpp>
#include <collectives/schedule/proof.hpp>
#include <collectives/schedule/schedule.hpp>
#include <collectives/schedule/well_formed.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace collectives::inline v0::detail {

/// Kept lean, because compilers run it too: a compiler counts every statement.
class prover {
public:
    constexpr explicit prover(list_view<schedule const> ranks)
        : ranks_(ranks),
          size_(static_cast<int>(ranks.size())),
          what_(ranks.empty() ? collective::barrier : ranks[0].what),
          chunks_(ranks.empty() ? 0 : ranks[0].chunks),
          sums_(reduces(what_) ? size_ : 0),
          pairs_(ranks) {}

    [[gnu::cold]] constexpr proof run() {
        verdict_ = form_of(ranks_);
        if (!verdict_.ok) { return verdict_; }
        fill();
        for (int round = 0; round < ranks_[0].rounds; ++round) {
            if (!match(round) || !apply(round)) { return verdict_; }
        }
        if (judge()) { verdict_.what = "correct"; }
        return verdict_;
    }

private:
    /// What one receive brings to one slot.
    struct arrival {
        std::size_t slot;
        int value;
        rank_t from;
        bool adds;
        int next;  // of the same slot, or none
    };
    struct inbox {
        int first = none;
        int last = none;
    };
    static constexpr int none = -1;

    static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

    constexpr std::size_t slot(rank_t rank, int chunk) const {
        return index(rank) * index(chunks_) + index(chunk < chunks_ ? chunk : chunk - chunks_);
    }

    [[gnu::cold]] constexpr bool refuse(std::string_view why, rank_t rank = -1, int round = -1,
                                        int chunk = -1) {
        verdict_ = {false, why, rank, round, chunk};
        return false;
    }

    /// What each rank holds at the start. A value is a bracket if the collective reduces, else the
    /// number of a block.
    [[gnu::cold]] constexpr void fill() {
        auto const slots = index(size_) * index(chunks_);
        held_.resize(slots, none);
        inboxes_.resize(slots);
        rank_t const root = ranks_[0].root;
        std::size_t at = 0;
        for (rank_t r = 0; r < size_; ++r) {
            for (int c = 0; c < chunks_; ++c) {
                held_[at++] = what_ == collective::all_to_all           ? r * size_ + c
                              : reduces(what_)                          ? r
                              : has(traits_of(what_).input, r, root, c) ? c
                                                                        : none;
            }
        }
        if (what_ == collective::all_to_all) {
            for (auto const value : held_) { input_.push_back(value); }
        }
    }

    /// Pairs the round's receives with its sends, and collects what they bring from before it.
    [[gnu::cold]] constexpr bool match(int round) {
        auto sends = pairs_.enter(round);
        arrivals_.clear();
        for (rank_t r = 0; r < size_; ++r) {
            auto const& steps = ranks_[index(r)].steps;
            auto const end = pairs_.end(r);
            for (auto i = pairs_.begin(r); i < end; ++i) {
                step const& s = steps[i];
                if (s.what == verb::send) { continue; }
                if (!receive(r, s)) { return false; }
                --sends;
            }
        }
        return sends == 0 || refuse_unmatched(round);
    }

    [[gnu::cold]] constexpr bool receive(rank_t me, step const& s) {
        auto const i = pairs_.take_send(me, s.peer);
        if (i == pairs_.end(s.peer)) {
            return refuse("a receive has no send", me, s.round, s.chunks.first);
        }
        chunk_range const sent = ranks_[index(s.peer)].steps[i].chunks;
        bool const renames = what_ == collective::all_to_all;
        if (sent.count != s.chunks.count || (sent.first != s.chunks.first && !renames)) {
            return refuse("a send and its receive name different chunks", me, s.round,
                          s.chunks.first);
        }
        for (int k = 0; k < sent.count; ++k) {
            auto const from = slot(s.peer, sent.first + k);
            int const value = renames ? input_[from] : held_[from];
            if (value == none) {
                return refuse("a rank sends a chunk it does not hold", s.peer, s.round,
                              (sent.first + k) % chunks_);
            }
            auto const to = slot(me, s.chunks.first + k);
            bool const adds = s.what == verb::recv_reduce;
            int const mine = static_cast<int>(arrivals_.size());
            if (inbox& box = inboxes_[to]; box.first == none) {
                box = {mine, mine};
            } else {
                arrival& last = arrivals_[index(box.last)];
                if (!adds || !last.adds) {
                    return refuse("a chunk is copied into and written again in one round", me,
                                  s.round, (s.chunks.first + k) % chunks_);
                }
                last.next = mine;
                box.last = mine;
            }
            arrivals_.push_back({to, value, s.peer, adds, none});
        }
        return true;
    }

    [[gnu::cold]] constexpr bool refuse_unmatched(int round) {
        auto const [r, i] = pairs_.first_left();
        return refuse("a send has no receive", r, round, ranks_[index(r)].steps[i].chunks.first);
    }

    /// Puts what the round brought in place.
    [[gnu::cold]] constexpr bool apply(int round) {
        for (auto const& a : arrivals_) {
            inbox& box = inboxes_[a.slot];
            if (box.first == none) { continue; }  // done with the first of its slot
            box.first = none;
            auto const rank = static_cast<rank_t>(a.slot / index(chunks_));
            auto const chunk = static_cast<int>(a.slot % index(chunks_));
            if (!a.adds) {
                // A result of exscan lacks the rank's own contribution.
                bool const may_forget = what_ == collective::exscan && held_[a.slot] == rank;
                if (reduces(what_) && !may_forget && !sums_.covers(a.value, held_[a.slot])) {
                    return refuse("a copy replaces contributions it does not hold", rank, round,
                                  chunk);
                }
                held_[a.slot] = a.value;
                continue;
            }
            order_operands(a, rank);
            held_[a.slot] = sums_.sum(operands_);
            if (held_[a.slot] == none) {
                return refuse("a contribution is added twice", rank, round, chunk);
            }
        }
        return true;
    }

    /// The values of one n-ary sum by the rank they come from, own value included.
    [[gnu::cold]] constexpr void order_operands(arrival const& first, rank_t me) {
        operands_.clear();
        operands_.push_back({me, held_[first.slot]});
        arrival const* a = &first;
        while (true) {
            operands_.push_back({a->from, a->value});
            if (a->next == none) { break; }
            a = &arrivals_[index(a->next)];
        }
        std::sort(operands_.begin(), operands_.end());
    }

    /// Whether this slot belongs to the result of the collective.
    [[gnu::cold]] constexpr bool is_result(rank_t rank, int chunk) const {
        if (what_ == collective::all_to_all) { return rank != chunk; }  // its own is not sent
        return has(traits_of(what_).output, rank, ranks_[0].root, chunk);
    }

    [[gnu::cold]] constexpr bool judge() {
        verdict_ = {true, "", -1, -1, -1, true, true, true};
        int some = none;
        for (int c = 0; c < chunks_; ++c) {
            int common = none;  // of all ranks that have this chunk
            for (rank_t r = 0; r < size_; ++r) {
                if (!is_result(r, c)) { continue; }
                int const value = held_[slot(r, c)];
                if (!reduces(what_)) {
                    int const wanted = what_ == collective::all_to_all ? c * size_ + r : c;
                    if (value != wanted) { return refuse("a block is missing", r, -1, c); }
                    continue;
                }
                int const ranks = reduced_ranks(what_, size_, r);
                if (!sums_.complete(value, ranks)) {
                    return refuse("a contribution is missing", r, -1, c);
                }
                if (is_prefix(what_)) {
                    note(value, held_[slot(r, 0)], ranks);
                    continue;
                }
                if (common == none) { common = value; }
                if (!sums_.same(common, value)) {
                    return refuse("the ranks bracket the sum differently", r, -1, c);
                }
            }
            if (common == none) { continue; }
            if (some == none) { some = common; }
            note(common, some, size_);
        }
        return true;
    }
    /// Notes the properties of a result; `other` is the same result of another chunk.
    [[gnu::cold]] constexpr void note(int value, int other, int ranks) {
        auto& v = verdict_;
        v.order_preserving = v.order_preserving && sums_.ordered(value);
        v.left_fold = v.left_fold && sums_.is_left_fold(value, ranks);
        v.position_independent = v.position_independent && sums_.same(other, value);
    }

    list_view<schedule const> ranks_;
    int size_;
    collective what_;
    int chunks_;
    brackets sums_;
    pairing pairs_;
    proof verdict_{};
    lean_list<int> held_;          // the value of each (rank, chunk), or none
    lean_list<int> input_;         // all_to_all: what is sent from
    lean_list<inbox> inboxes_;     // of each (rank, chunk), this round
    lean_list<arrival> arrivals_;  // this round
    lean_list<operand> operands_;  // of one sum
};

}  // namespace collectives::detail
