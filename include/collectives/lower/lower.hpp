// SPDX-License-Identifier: BSD-3-Clause
// Lowering: makes plans from a schedule, the shape of a call and a protocol.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/lower/adds_once.hpp>
#include <collectives/lower/bind.hpp>
#include <collectives/lower/completing.hpp>
#include <collectives/lower/emit_cells.hpp>
#include <collectives/lower/emit_memory.hpp>
#include <collectives/lower/emit_messages.hpp>
#include <collectives/lower/layout.hpp>
#include <collectives/plan/resolve.hpp>
#include <collectives/schedule/any_algorithm.hpp>
#include <collectives/schedule/split_rounds.hpp>

#include <cstddef>
#include <utility>

namespace collectives::inline v0::lowering {

/// What decides about a rank's plan besides the call.
struct rank_choice {
    plans::announcement shown{};
    plans::scratch_life keeps = plans::scratch_life::run;
    bool pushes = false;  // sums, or copies, go to all outputs that take them; equal on all ranks
    int cell_depth = plans::more_cells;
    friend bool operator==(rank_choice const&, rank_choice const&) = default;
};

/// A call as all ranks see it: the schedules, and what follows from them for every protocol.
class lowered_call {
public:
    /// The rank and the in-place flag of `shape` do not matter: `lower` takes them as arguments.
    [[gnu::cold]] lowered_call(any_algorithm by, call_shape const& shape, int segments = 1)
        : by_(by), shape_(shape), segments_(segments) {
        if (reduces(shape_.what) && shape_.size > 1) {
            auto all = by_.record_all(shape_.what, shape_.size, shape_.root);
            if (by_.hints().split_whole_rounds) {
                in_two_ = collectives::detail::whole_rounds(all);
                for (auto& s : all) { collectives::detail::cut_in_halves(s, in_two_); }
            }
            completing_ = completing_reductions(all);
            adds_once_ = shape_.what == collective::all_reduce && adds_once_for_all(all);
        }
        auto const any = schedule_of(0);
        chunks_ = any.chunks;
        rounds_ = any.rounds;
    }

    call_shape const& shape() const { return shape_; }
    any_algorithm algorithm() const { return by_; }
    int segments() const { return segments_; }
    int rounds() const { return rounds_; }
    /// Records the schedule anew each time: O(steps).
    schedule schedule_of(rank_t r) const {
        auto result = by_.record(shape_.what, r, shape_.size, shape_.root);
        collectives::detail::cut_in_halves(result, in_two_);
        return result;
    }
    /// Whether ranks that can read the inputs of all others need no more than that.
    bool needs_inputs_alone() const {
        return rounds_ <= (shape_.what == collective::exscan ? 2 : 1);
    }
    /// The schedule for such ranks. An exscan of two rounds shifts the inputs to the next rank and
    /// then scans them in one round. In cells a rank reads each input where it was before the
    /// shift: what rank q has in the scan is the input of rank q - 1.
    [[gnu::cold]] schedule schedule_in_cells(rank_t r) const {
        auto result = schedule_of(r);
        if (shape_.what != collective::exscan || rounds_ < 2) { return result; }
        result.steps.clear();
        for (rank_t const of : {r, r + 1}) {
            if (of == shape_.size) { break; }
            for (auto s : schedule_of(of).steps) {
                bool const shifts = s.round == 0, sends = s.what == verb::send;
                // In the scan the next rank sends what is this rank's input.
                if (of != (sends && !shifts ? r + 1 : r)) { continue; }
                if (!shifts && !sends) { --s.peer; }
                s.round = 0;
                result.steps.push_back(s);
            }
        }
        return result;
    }
    /// Whether each chunk is added up in one place, so that sums can be pushed. Equal on all ranks.
    bool adds_once() const { return adds_once_; }
    /// Whether the last round copies values to the same place in all outputs, which nobody reads
    /// before, so that copies can be pushed. Equal on all ranks.
    bool pushes_copies() const {
        auto const everywhere =
            shape_.what == collective::broadcast || shape_.what == collective::all_gather;
        return everywhere && shape_.size > 1 && (rounds_ == 1 || by_.hints().push_copies);
    }

    /// Whether a rank may push what the first round brings from where it is, in the second and last
    /// one. Then each value has a place of its own. Equal on all ranks.
    bool forwards_copies() const { return pushes_copies() && rounds_ == 2; }

    /// The distance in bytes from the start of the buffers to a segment's input and output.
    std::size_t offset_of(int segment) const {
        return has_blocks(shape_.what)
                   ? 0
                   : block(shape_.count, segments_, segment).first * shape_.elem_size;
    }
    /// Where the chunks of a segment are in a rank's buffers.
    layout layout_of(rank_t rank, int segment) const {
        auto shape = shape_of(rank);
        auto const whole = !has_blocks(shape.what);
        if (whole) { shape.count = block(shape.count, segments_, segment).size; }
        return lay_out(shape, chunks_, whole ? 0 : segment, whole ? 1 : segments_);
    }
    /// The plan of one rank for one segment. Peers' places in it are symbols.
    [[gnu::cold]] plans::plan lower(rank_t rank, rank_choice const& as, int segment = 0) const {
        plans::plan result;
        result.rank = rank;
        result.size = shape_.size;
        result.shown = as.shown;
        result.keeps = as.keeps;
        auto const at = layout_of(rank, segment);
        if (shape_.size == 1 && reduces(shape_.what)) {
            finish_alone(result, at);
            return result;
        }
        auto const by = backend_of(as.shown.how);
        auto const forwards = forwards_copies() && by == plans::backend::memory;
        auto const side_by_side =
            !forwards && (!has_blocks(shape_.what) || (segments_ == 1 && !shape_.has_places()));
        auto const in_cells = by == plans::backend::cells;
        auto const in_place = as.shown.in_place && !in_cells;
        auto const own = in_cells ? schedule_in_cells(rank) : schedule_of(rank);
        completing_list const none;
        auto const& completing =
            completing_.empty() ? none : completing_[static_cast<std::size_t>(rank)];
        binder bind(own, at, {as.shown.how, side_by_side}, in_place, completing);
        auto const& bound = bind.make();
        result.scratch = bound.scratch;
        switch (by) {
            case plans::backend::messages: message_emitter(result, bound).run(); break;
            case plans::backend::memory:
                memory_emitter(result, bound, as.pushes, pushes_copies() ? &at : nullptr).run();
                break;
            case plans::backend::cells:
                cell_emitter(result, bound, shape_of(rank).input_bytes(), as.cell_depth).run();
                break;
        }
        for (auto& i : result.program) { i.round = algorithms_round(i.round); }
        return result;
    }
    /// What the peers of a rank find under its announcement: all that they need to know of its
    /// plan.
    plans::peer_view offers_of(rank_t rank, plans::announcement shown, int segment = 0) const {
        return {shown, lower(rank, {shown}, segment).offers};
    }

private:
    call_shape shape_of(rank_t rank) const {
        auto result = shape_;
        result.rank = rank;
        return result;
    }
    /// Applies the operator's `finish` where there is only one rank.
    [[gnu::cold]] static void finish_alone(plans::plan& to, layout const& at) {
        plan_writer write(to);
        std::size_t bytes = 0;
        for (auto const b : at.bytes) { bytes += b; }
        if (bytes == 0 || !at.wanted.front()) { return; }
        write.add(opcode::reduce, bytes).completes = true;
        write.read(write.own({memory::input, at.input.front().offset}));
        write.write(write.own({memory::output, at.output.front().offset}));
    }

    /// The algorithm's number of a round. Some of its rounds are two here.
    int algorithms_round(int round) const {
        for (auto i = in_two_.size(); i > 0; --i) {
            auto const second = in_two_[i - 1] + static_cast<int>(i);
            if (second <= round) { return round - static_cast<int>(i); }
        }
        return round;
    }

    any_algorithm by_;
    call_shape shape_;
    int segments_;
    int chunks_ = 0, rounds_ = 0;
    lean_vector<int> in_two_;                  // rounds that are two, see schedule/split_rounds.hpp
    lean_vector<completing_list> completing_;  // of each rank
    bool adds_once_ = false;
};

}  // namespace collectives::lowering
