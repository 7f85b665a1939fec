// SPDX-License-Identifier: BSD-3-Clause
// Derives from its schedule alone what a call promises. check_plan compares plans with that.
#pragma once

#include <collectives/core/lean_list.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/lower/lower.hpp>
#include <collectives/plan/promise.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace collectives::inline v0::lowering {

/// Runs the schedules of all ranks on symbols, chunk by chunk.
class promise_maker {
public:
    promise_maker(lowered_call const& of, int segment) : call_(of), segment_(segment) {
        for (rank_t r = 0; r < of.shape().size; ++r) { all_.push_back(of.schedule_of(r)); }
    }

    plans::promise make() {
        auto const size = static_cast<rank_t>(all_.size());
        chunks_ = all_.front().chunks;
        held_.assign(all_.size() * index(chunks_), -1);
        for (rank_t r = 0; r < size; ++r) { lay_out_rank(r); }
        input_ = held_;
        for (int round = 0; round < all_.front().rounds; ++round) { run(round); }
        for (rank_t r = 0; r < size; ++r) { want(r); }
        return std::move(result_);
    }

private:
    struct arrival {
        rank_t to = 0, from = 0;
        int chunk = 0, value = -1;
        bool adds = false;
    };
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    std::size_t slot(rank_t r, int chunk) const {
        return index(r) * index(chunks_) + index(chunk % chunks_);
    }
    bool exchanges() const { return call_.shape().what == collective::all_to_all; }

    void lay_out_rank(rank_t r) {
        auto const at = call_.layout_of(r, segment_);
        auto& own = result_.inputs.emplace_back();
        for (int c = 0; c < chunks_; ++c) {
            if (!at.held[index(c)]) { continue; }
            auto const offset = at.input[index(c)].offset + call_.offset_of(segment_);
            own.push_back({c, -1, offset, at.input[index(c)].bytes});
            held_[slot(r, c)] = static_cast<int>(result_.values.size());
            result_.values.push_back({r, c});
        }
    }
    void run(int round) {
        lean_vector<arrival> arrivals;
        for (auto const& own : all_) {
            lean_vector<int> next(index(own.size));
            for (auto const& s : own.steps) {
                if (s.round != round || s.what == verb::send) { continue; }
                // The k-th receive of a round from a peer meets its k-th send to this rank.
                auto const sent = send_of(s.peer, own.rank, round, next[index(s.peer)]++);
                for (int k = 0; k < s.chunks.count; ++k) {
                    auto const from = slot(s.peer, sent.first + k);
                    arrivals.push_back({own.rank, s.peer, (s.chunks.first + k) % chunks_,
                                        exchanges() ? input_[from] : held_[from],
                                        s.what == verb::recv_reduce});
                }
            }
        }
        std::stable_sort(arrivals.begin(), arrivals.end(), [](auto const& a, auto const& b) {
            return std::pair(std::pair(a.to, a.chunk), a.from) <
                   std::pair(std::pair(b.to, b.chunk), b.from);
        });
        for (std::size_t i = 0; i < arrivals.size();) {
            auto const first = i;
            while (i < arrivals.size() && arrivals[i].to == arrivals[first].to &&
                   arrivals[i].chunk == arrivals[first].chunk) {
                ++i;
            }
            apply(arrivals, first, i);
        }
    }
    chunk_range send_of(rank_t from, rank_t to, int round, int number) const {
        for (auto const& s : all_[index(from)].steps) {
            if (s.round == round && s.what == verb::send && s.peer == to && number-- == 0) {
                return s.chunks;
            }
        }
        return {};
    }
    void apply(lean_vector<arrival> const& all, std::size_t first, std::size_t last) {
        auto const& a = all[first];
        auto& mine = held_[slot(a.to, a.chunk)];
        if (!a.adds) {
            mine = a.value;
            return;
        }
        plans::promised_value sum;
        auto own_is_in = false;
        for (auto i = first; i < last; ++i) {
            if (!own_is_in && a.to < all[i].from) {
                sum.operands.push_back(mine);
                own_is_in = true;
            }
            sum.operands.push_back(all[i].value);
        }
        if (!own_is_in) { sum.operands.push_back(mine); }
        mine = static_cast<int>(result_.values.size());
        result_.values.push_back(sum);
        result_.values.back().completes = contributions(mine) == call_.shape().size;
    }
    int contributions(int value) const {
        auto const& v = result_.values[index(value)];
        int sum = v.operands.empty() ? 1 : 0;
        for (auto const o : v.operands) { sum += contributions(o); }
        return sum;
    }
    void want(rank_t r) {
        auto const at = call_.layout_of(r, segment_);
        auto& own = result_.outputs.emplace_back();
        for (int c = 0; c < chunks_; ++c) {
            if (!at.wanted[index(c)]) { continue; }
            auto value = held_[slot(r, c)];
            auto const what = call_.shape().what;
            if (reduces(what) && reduced_ranks(what, call_.shape().size, r) == 1) {
                result_.values.push_back({-1, -1, {value}, true});
                value = static_cast<int>(result_.values.size()) - 1;
            }
            own.push_back({c, value, at.output[index(c)].offset + call_.offset_of(segment_),
                           at.output[index(c)].bytes});
        }
    }

    lowered_call const& call_;
    int segment_;
    lean_list<schedule> all_;
    int chunks_ = 0;
    lean_vector<int> held_, input_;  // the value of each (rank, chunk), or -1
    plans::promise result_;
};

/// The buffers of a rank in a call. In all_to_all in place, the caller copies the input first.
inline plans::user_buffers buffers_of(lowered_call const& c, rank_t rank, bool in_place) {
    auto shape = c.shape();
    shape.rank = rank;
    auto const& traits = traits_of(shape.what);
    plans::user_buffers b{shape.input_bytes(), shape.output_bytes()};
    auto const broadcasts = shape.what == collective::broadcast;  // everybody passes the vector
    if (!has(traits.output, rank, shape.root, rank)) { b.output_bytes = 0; }
    if (!broadcasts && !has(traits.input, rank, shape.root, rank)) { b.input_bytes = 0; }
    b.in_place = broadcasts || (in_place && shape.what != collective::all_to_all &&
                                b.input_bytes != 0 && b.output_bytes != 0);
    if (!b.in_place) { return b; }
    auto const first = shape.own_block().first * shape.elem_size;
    if (traits.input == holding::own) { b.input_at = first; }
    if (traits.output == holding::own) { b.output_at = first; }
    return b;
}

/// A call with the plans of all ranks, each lowered as `choices[rank]` says.
inline plans::planned_call plan_call(lowered_call const& c,
                                     lean_vector<rank_choice> const& choices) {
    plans::planned_call result;
    result.all_come = waits_for_all(c.shape().what);
    result.cell_depth = choices.front().cell_depth;
    for (rank_t r = 0; r < c.shape().size; ++r) {
        result.buffers.push_back(
            buffers_of(c, r, choices[static_cast<std::size_t>(r)].shown.in_place));
    }
    for (int s = 0; s < c.segments(); ++s) {
        plans::planned_run run;
        for (rank_t r = 0; r < c.shape().size; ++r) {
            auto as = choices[static_cast<std::size_t>(r)];
            as.shown.in_place = result.buffers[static_cast<std::size_t>(r)].in_place;
            run.ranks.push_back(c.lower(r, as, s));
        }
        run.behind = c.offset_of(s);
        run.wanted = promise_maker(c, s).make();
        result.runs.push_back(std::move(run));
    }
    return result;
}

}  // namespace collectives::lowering
