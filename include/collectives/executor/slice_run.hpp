// SPDX-License-Identifier: BSD-3-Clause
// One slice of a collective under way, on whichever executor the transport and the buffers allow.
#pragma once

#include <collectives/executor/direct.hpp>
#include <collectives/executor/engine.hpp>
#include <collectives/executor/message.hpp>
#include <collectives/executor/program.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace collectives {

/// What the slices of an operation have in common.
struct slice_call {
    std::byte const* in = nullptr;
    std::byte* out = nullptr;
    reducer const* op = nullptr;
    fingerprint const* call = nullptr;
    std::uint64_t hash = 0;  // of this call and all before it
};

/// The tag of a slice's messages; slice -1 is the count that goes before them.
constexpr std::uint64_t message_tag(std::uint64_t context, std::uint64_t hash,
                                    std::uint64_t sequence, int slice) {
    return mix(mix(context, hash), sequence << 20 | static_cast<std::uint64_t>(slice + 1));
}

/// Reused from slice to slice.
class slice_run {
    static constexpr std::size_t largest_consumed = 4096;     // bytes of an element
    static constexpr std::size_t largest_kept = 1024 * 1024;  // bytes of scratch; else readers are
                                                              // waited for

public:
    bool idle() const { return at_ == stage::idle; }

    /// Whether a program runs on the direct executor. Only what is equal on all ranks decides. A
    /// rank must be able to tell where its peers' values lie, so blocks that not all ranks know
    /// travel as messages.
    static bool is_direct(engine const& e, program const& p) {
        auto const& s = p.shape();
        return e.memory() != nullptr && s.size > 1 && s.recv_counts.empty() && !p.blocks_vary();
    }

    /// Begins a slice, as run number `run` of the direct executor or, with 0, over messages. False
    /// if that run may not begin yet. Everything must live until the slice has ended.
    bool begin(engine& e, program& p, slice_call const& of, int slice, std::uint64_t run) {
        if (run != 0 && !e.runs.may_begin(run)) { return false; }
        engine_ = &e;
        program_ = &p;
        of_ = &of;
        slice_ = slice;
        run_ = run;
        if (run == 0) {
            begin_messages();
        } else {
            begin_direct();
        }
        return true;
    }

    /// Does what can be done now; true once the slice has ended.
    bool progress() {
        if (at_ == stage::by_memory) { return memory_.progress() && end(); }
        return messages_.progress() && end();
    }
    void cancel() {
        if (at_ == stage::by_message) {
            messages_.cancel();
            engine_->scratch.abandon(std::exchange(scratch_, {}));
        }
        if (at_ != stage::idle) { end(); }
    }

    /// Grows with what gets done by the direct executor, which the transport does not see.
    std::uint64_t ticks() const { return memory_.ticks(); }
    /// What does not fit, in words; empty while all is well.
    std::string complaint() const {
        if (at_ == stage::by_memory && memory_.wrong()) { return "a peer came with another call"; }
        return at_ == stage::by_message ? messages_.complaint() : std::string();
    }

private:
    enum class stage { idle, by_message, by_memory };
    /// Whose the scratch is. What is the lane's or the rotation's peers may read when the run has
    /// ended.
    enum class scratch_of { this_run, lane, rotation };

    bool end() {
        if (at_ == stage::by_memory) {
            // Without a root, no rank ends before all have come.
            engine_->runs.leave(run_, memory_.end(), !is_rooted(program_->shape().what));
            if (scratch_is_ == scratch_of::lane) { engine_->runs.keep(run_, scratch_); }
            if (scratch_is_ != scratch_of::this_run) { scratch_ = {}; }
        }
        engine_->scratch.give_back(std::exchange(scratch_, {}));
        at_ = stage::idle;
        return true;
    }

    run_buffers buffers() const {
        auto const behind = program_->offset_of(slice_);
        return {of_->in == nullptr ? nullptr : of_->in + behind,
                of_->out == nullptr ? nullptr : of_->out + behind, scratch_.data};
    }

    void begin_messages() {
        auto const& shape = program_->shape();
        auto const consumes =
            engine_->carrier().can_consume() && shape.elem_size <= largest_consumed;
        auto const& steps =
            program_->steps(slice_, consumes ? passage::consumed : passage::messages);
        scratch_ = engine_->scratch.take(steps.scratch);
        message_label label;
        label.operation = static_cast<std::uint32_t>(of_->call->sequence);
        label.segment = slice_;
        label.what = of_->call->what;
        auto const tag = message_tag(engine_->context(), of_->hash, of_->call->sequence, slice_);
        messages_.start(engine_->carrier(), engine_->group(), steps, buffers(), of_->op, tag,
                        shape.elem_size, &engine_->board().stop_word(), label,
                        shape.recv_counts.empty() && !program_->blocks_vary());
        at_ = stage::by_message;
    }

    /// Where peers cannot reach this rank's buffers, or read no more of them than a copy, what they
    /// read is staged in its scratch.
    void begin_direct() {
        constexpr std::uint64_t nowhere = 1;  // of what nobody reads
        auto& memory = *engine_->memory();
        auto const& shape = program_->shape();
        auto const reach = [&](void const* p, std::size_t bytes) {
            auto const empty = p == nullptr || bytes == 0;
            return empty ? nowhere : memory.reach(p, bytes);
        };
        auto const input = reach(of_->in, shape.input_bytes());
        auto const output = reach(of_->out, shape.output_bytes());
        engine_->runs.begin(run_);
        using folds = run_folds;
        auto const& e = *engine_;
        auto const reachable = input != 0 && output != 0;
        auto const is_far =
            reachable && folds::minds_distance(e, *program_) && engine_->push_watch.may_be_far();
        auto const how = take_scratch(reachable, is_far);
        auto const takes = folds::takes_sums(e, *program_, how, is_far);
        auto const shown = [&](base what, std::uint64_t where) {
            return is_read(how, what) ? where + program_->offset_of(slice_) : nowhere;
        };
        memory_.start(*engine_, *program_, slice_, run_, of_->hash, {shape.in_place, how, takes},
                      scratch_is_ == scratch_of::this_run || is_read(how, base::input), buffers(),
                      {shown(base::input, input), shown(base::output, output),
                       reach(scratch_.data, scratch_.bytes)},
                      of_->op);
        at_ = stage::by_memory;
    }

    /// Takes scratch for a run in memory, whose buffers peers can reach or not; how values get from
    /// rank to rank then. Where an all_reduce in place keeps its sums beside the input as long as
    /// peers read that, it is the input that is copied: to memory that goes round. Sums out of
    /// place are copied there where that is best, which may depend on how far peers' caches are.
    passage take_scratch(bool reachable, bool is_far) {
        using enum passage;
        auto const bytes = [&](passage how) { return program_->steps(slice_, how).scratch; };
        auto const on_device = engine_->space().device() != nullptr;
        if (!on_device) {
            auto const& shape = program_->shape();
            auto const keeps_sums =
                shape.what == collective::all_reduce && shape.in_place && bytes(direct) != 0;
            auto const may_be = [&](passage how) {
                return bytes(how) != 0 &&
                       bytes(how) <= engine_->runs.largest_piece(engine_->carrier());
            };
            auto const go_round = [&](passage how) {
                scratch_is_ = scratch_of::rotation;
                scratch_ = {engine_->runs.take(bytes(how)), bytes(how)};
                return how;
            };
            if (!reachable || keeps_sums) {
                if (may_be(apart)) { return go_round(apart); }
                if (may_be(staged)) { return go_round(staged); }
            } else if (run_folds::copies_sums(*engine_, *program_, is_far) && may_be(relayed)) {
                return go_round(relayed);
            }
        }
        auto const how = reachable ? direct : staged;
        auto const kept = !reachable && bytes(how) <= largest_kept && !on_device;
        scratch_is_ = kept ? scratch_of::lane : scratch_of::this_run;
        scratch_ = engine_->scratch.take(bytes(how));
        return how;
    }

    engine* engine_ = nullptr;
    program* program_ = nullptr;
    slice_call const* of_ = nullptr;
    stage at_ = stage::idle;
    scratch_of scratch_is_ = scratch_of::this_run;
    int slice_ = 0;
    std::uint64_t run_ = 0;
    scratch_pool::buffer scratch_{};
    message_run messages_;
    direct_run memory_;
};

}  // namespace collectives
