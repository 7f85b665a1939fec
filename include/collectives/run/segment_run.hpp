// SPDX-License-Identifier: BSD-3-Clause
// One segment of a collective under way, over messages or in memory.
#pragma once

#include <collectives/lower/protocol.hpp>
#include <collectives/run/engine.hpp>
#include <collectives/run/memory_run.hpp>
#include <collectives/run/message_run.hpp>
#include <collectives/run/program.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace collectives::inline v0::detail {

/// The tag of a segment's messages. `hash`: of the call and all before it. Segment -1 is the count
/// that is sent before the data. Segments that follow each other differ in the lowest bits, so that
/// a transport with short tags can keep them apart.
constexpr std::uint64_t message_tag(std::uint64_t context, std::uint64_t hash, int segment) {
    auto const tag = mix(context, hash) + static_cast<std::uint64_t>(segment + 1);
    return (tag & ~(pair_bit | generation_bits)) | (context & generation_bits);
}

/// The run of one segment. The object is reused from segment to segment.
class segment_run {
public:
    bool idle() const { return stage_ == stage::idle; }

    /// Whether a program runs in memory. Depends only on what is equal on all ranks. Each rank must
    /// know where its peers' values are, so blocks that not all ranks know travel as messages.
    static bool is_in_memory(engine const& e, program const& p) {
        return e.memory() != nullptr && p.shape().size > 1 && p.sizes_agreed();
    }

    /// Begins a segment, as run number `run` in memory, or over messages if `run` is 0. Returns
    /// false if that run may not begin yet. All arguments must live until the segment has ended.
    bool begin(engine& e, program& p, running_call const& of, int segment, std::uint64_t run) {
        if (run != 0 && !e.runs.may_begin(run)) { return false; }
        engine_ = &e;
        program_ = &p;
        of_ = &of;
        segment_ = segment;
        run_ = run;
        if (run == 0) {
            begin_over_messages(p.over_messages(segment, e.carrier().can_consume()));
        } else {
            begin_in_memory();
        }
        return true;
    }

    /// Begins the only segment of a call over messages, whose plan is `steps`.
    void begin(engine& e, program& p, running_call const& of, plans::plan const& steps) {
        engine_ = &e;
        program_ = &p;
        of_ = &of;
        segment_ = 0;
        begin_over_messages(steps);
    }

    /// Does what can be done now. Returns true once the segment has ended.
    bool progress() {
        if (stage_ == stage::in_memory) { return memory_.progress() && end(); }
        return messages_.progress() && end();
    }
    /// The same for one over messages, whose transport is `by`.
    template <class Transport>
    bool progress(Transport& by) {
        return messages_.progress(by) && end_over_messages();
    }
    [[gnu::cold]] void cancel() {
        if (stage_ == stage::over_messages) {
            messages_.cancel();
            engine_->scratch.abandon(std::exchange(scratch_, {}));
        }
        if (stage_ != stage::idle) { end(); }
    }

    /// The instruction that it cannot get past, or null.
    [[gnu::cold]] plans::instruction const* stuck_at() const {
        if (stage_ == stage::idle) { return nullptr; }
        return stage_ == stage::in_memory ? memory_.stuck_at() : messages_.stuck_at();
    }

    /// Grows with progress in memory, which the transport does not see.
    std::uint64_t ticks() const { return memory_.ticks(); }
    /// Says what does not fit; empty if everything does.
    std::string_view mismatch_text() const {
        if (stage_ == stage::in_memory && memory_.wrong()) {
            return "a peer came with another call";
        }
        return stage_ == stage::over_messages ? messages_.mismatch_text() : std::string_view();
    }

private:
    enum class stage { idle, over_messages, in_memory };

    bool end() {
        if (stage_ == stage::in_memory) {
            // Without a root, no rank ends before all ranks have come.
            engine_->runs.leave(run_, waits_for_all(program_->shape().what));
            if (keeps_ == plans::scratch_life::channel) { engine_->runs.keep(run_, scratch_); }
            if (keeps_ != plans::scratch_life::run) { scratch_ = {}; }
        }
        return end_over_messages();
    }
    bool end_over_messages() {
        engine_->scratch.give_back(std::exchange(scratch_, {}));
        stage_ = stage::idle;
        return true;
    }

    run_buffers buffers() const {
        auto const behind = segment_ == 0 ? 0 : program_->lowered().offset_of(segment_);
        return {of_->in == nullptr ? nullptr : of_->in + behind,
                of_->out == nullptr ? nullptr : of_->out + behind, scratch_.data};
    }

    [[gnu::always_inline]] void begin_over_messages(plans::plan const& steps) {
        if (steps.scratch != 0) { scratch_ = engine_->scratch.take(steps.scratch); }
        messages_.start(steps, buffers(), *engine_, *program_, *of_, segment_,
                        message_tag(engine_->context(), of_->hash, segment_));
        stage_ = stage::over_messages;
    }

    void begin_in_memory() {
        constexpr std::uint64_t nowhere = 1;  // the address of what nobody reads
        auto& memory = *engine_->memory();
        auto const& shape = program_->shape();
        auto const reach = [&](void const* p, std::size_t bytes) {
            auto const empty = p == nullptr || bytes == 0;
            return memory_range{empty ? nowhere : memory.reach(p, bytes), bytes};
        };
        auto const input = reach(of_->in, shape.input_bytes());
        auto const output = reach(of_->out, shape.output_bytes());
        engine_->runs.begin(run_);
        auto& own = program_->plan_for(segment_, choose(input, output));
        take_scratch(own.steps);
        auto const shown = [&](plans::memory what, void const* p, std::uint64_t where) {
            auto const read = plans::is_read(own.steps.shown.how, what);
            if (where == 0) { where = lent | reinterpret_cast<std::uintptr_t>(p); }
            return read ? where + program_->lowered().offset_of(segment_) : nowhere;
        };
        memory_.start(*engine_, {program_, &own, segment_, run_}, *of_, buffers(),
                      {shown(plans::memory::input, of_->in, input.where),
                       shown(plans::memory::output, of_->out, output.where),
                       reach(scratch_.data, scratch_.bytes).where});
        stage_ = stage::in_memory;
    }
    /// By where peers reach the buffers; 0: nowhere.
    lowering::rank_choice choose(memory_range input, memory_range output) {
        auto const lends = [&] {
            auto& memory = *engine_->memory();
            auto const& shape = program_->shape();
            auto const judge = engine_->group().job_rank(lowering::judge_of_lending(shape));
            return memory.prefers_lent(judge, lowering::lending_case_of(shape)) &&
                   (input.where != 0 || memory.lends(of_->in, input.bytes)) &&
                   (output.where != 0 || memory.lends(of_->out, output.bytes));
        };
        auto const push_pays = [&] { return engine_->push_watch.push_pays(engine_->watch); };
        auto const ring_piece = [&] { return engine_->runs.largest_piece(engine_->carrier()); };
        auto const scratch = [&](plans::protocol how) { return program_->scratch(segment_, how); };
        return lowering::choose_for_memory(
            program_->lowered(), {program_->shape().in_place, input.where != 0 && output.where != 0,
                                  engine_->space().device() != nullptr, push_pays, ring_piece,
                                  scratch, lends, of_->is_awaited});
    }
    void take_scratch(plans::plan const& own) {
        keeps_ = own.keeps;
        if (keeps_ == plans::scratch_life::ring) {
            scratch_ = {engine_->runs.take(own.scratch), own.scratch};
        } else {
            scratch_ = engine_->scratch.take(own.scratch);
        }
    }

    engine* engine_ = nullptr;
    program* program_ = nullptr;
    running_call const* of_ = nullptr;
    stage stage_ = stage::idle;
    plans::scratch_life keeps_ = plans::scratch_life::run;
    int segment_ = 0;
    std::uint64_t run_ = 0;
    scratch_pool::buffer scratch_{};
    message_run messages_;
    memory_run memory_;
};

}  // namespace collectives::detail
