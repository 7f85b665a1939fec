// SPDX-License-Identifier: BSD-3-Clause
// Lowering: from a schedule, the shape of a call and a protocol to plans.
#pragma once

#include <collectives/lower/adds_once.hpp>
#include <collectives/lower/bind.hpp>
#include <collectives/lower/completing.hpp>
#include <collectives/lower/emit_cells.hpp>
#include <collectives/lower/emit_memory.hpp>
#include <collectives/lower/emit_messages.hpp>
#include <collectives/lower/layout.hpp>
#include <collectives/plan/resolve.hpp>
#include <collectives/schedule/any_algorithm.hpp>
#include <collectives/schedule/halves.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace collectives::lowering {

/// What decides about a rank's plan beside the call.
struct rank_choice {
    plans::announcement shown{};
    plans::scratch_life keeps = plans::scratch_life::run;
    bool pushes = false;  // sums go to all outputs that take them; equal on all ranks
    int cell_depth = plans::more_cells;
    friend bool operator==(rank_choice const&, rank_choice const&) = default;
};

/// A call as all ranks see it: the schedules, and what follows from them for every protocol.
class lowered_call {
public:
    /// `shape.rank` and `shape.in_place` do not matter: `lower` is told them.
    lowered_call(any_algorithm by, call_shape shape, int segments = 1)
        : shape_(std::move(shape)), segments_(segments) {
        schedules_ = by.record_all(shape_.what, shape_.size, shape_.root);
        if (!reduces(shape_.what) || shape_.size == 1) { return; }
        // Its folded ranks send all chunks at once, which would need room for a whole vector.
        if (by.name() == "halving") {
            auto const whole = whole_rounds(schedules_);
            for (auto& s : schedules_) { s = in_halves(std::move(s), whole); }
        }
        adds_once_ = shape_.what == collective::all_reduce && adds_once_for_all(schedules_);
    }

    call_shape const& shape() const { return shape_; }
    int segments() const { return segments_; }
    std::vector<schedule> const& schedules() const { return schedules_; }
    /// Whether each chunk is added up in one place, so that sums can be pushed. On all ranks alike.
    bool adds_once() const { return adds_once_; }

    /// How far a segment's input and output lie behind the whole's, in bytes.
    std::size_t offset_of(int segment) const {
        return is_one_vector(shape_.what)
                   ? block(shape_.count, segments_, segment).first * shape_.elem_size
                   : 0;
    }
    /// Where the chunks of a segment lie in a rank's buffers.
    layout layout_of(rank_t rank, int segment) const {
        auto shape = shape_of(rank);
        auto const whole = is_one_vector(shape.what);
        if (whole) { shape.count = block(shape.count, segments_, segment).size; }
        return lay_out(shape, schedules_.front().chunks, whole ? 0 : segment,
                       whole ? 1 : segments_);
    }
    /// The plan of one rank for one segment. Peers' places in it are symbols.
    plans::plan lower(rank_t rank, rank_choice const& as, int segment = 0) const {
        plans::plan result;
        result.rank = rank;
        result.size = shape_.size;
        result.shown = as.shown;
        result.keeps = as.keeps;
        auto const& own = schedules_[static_cast<std::size_t>(rank)];
        auto const at = layout_of(rank, segment);
        result.rounds = own.rounds;
        if (shape_.size == 1 && reduces(shape_.what)) {
            finish_alone(result, at);
            return result;
        }
        auto const cells = backend_of(as.shown.how) == plans::backend::cells;
        auto const side_by_side = is_one_vector(shape_.what) || segments_ == 1;
        auto const completing = reduces(shape_.what) ? completing_reductions(schedules_, rank)
                                                     : std::vector<std::pair<int, int>>{};
        auto const bound =
            binder(own, at, {as.shown.how, side_by_side}, as.shown.in_place && !cells, completing)
                .make();
        result.scratch = bound.scratch;
        switch (backend_of(as.shown.how)) {
            case plans::backend::messages: message_emitter(result, bound).run(); break;
            case plans::backend::memory: memory_emitter(result, bound, as.pushes).run(); break;
            case plans::backend::cells:
                cell_emitter(result, bound, shape_of(rank).input_bytes(), as.cell_depth).run();
                break;
        }
        return result;
    }
    /// What peers of a rank find under its announcement: all that they need know of its plan.
    plans::peer_view offers_of(rank_t rank, rank_choice const& as, int segment = 0) const {
        return {as.shown, lower(rank, as, segment).offers};
    }

private:
    call_shape shape_of(rank_t rank) const {
        auto result = shape_;
        result.rank = rank;
        return result;
    }
    /// The operator's last touch, where there is nobody to add to.
    static void finish_alone(plans::plan& to, layout const& at) {
        plan_writer write(to);
        std::size_t bytes = 0;
        for (auto const b : at.bytes) { bytes += b; }
        if (bytes == 0) { return; }
        write.add(opcode::reduce, bytes).completes = true;
        write.read(write.own({memory::input, at.input.front().offset}));
        write.write(write.own({memory::output, at.output.front().offset}));
    }

    call_shape shape_;
    int segments_;
    std::vector<schedule> schedules_;
    bool adds_once_ = false;
};

}  // namespace collectives::lowering
