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
#include <type_traits>
#include <utility>

namespace collectives {

template <class T>
concept direct_transport =
    peer_addressable<T> && requires(typename T::board b) { b.lane(0, 0).counter; };

namespace detail {

struct nothing {};

template <class Transport>
struct direct_part {
    using type = nothing;
};
template <direct_transport Transport>
struct direct_part<Transport> {
    using type = direct_run<Transport>;
};

}  // namespace detail

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
template <transport Transport>
class slice_run {
    static constexpr bool can_be_direct = direct_transport<Transport>;
    static constexpr std::size_t agree_from = 32 * 1024;   // bytes; below, messages are quicker
    static constexpr std::size_t largest_consumed = 4096;  // bytes of an element

public:
    bool idle() const { return at_ == stage::idle; }

    /// Whether a program may run on the direct executor. Only what is equal on all ranks decides. A
    /// rank must be able to tell where its peers' values lie, so blocks that not all ranks know
    /// travel as messages.
    static bool may_be_direct(program const& p) {
        if constexpr (can_be_direct) {
            auto const& s = p.shape();
            if (s.size == 1 || s.what == collective::barrier || !s.recv_counts.empty() ||
                p.blocks_vary()) {
                return false;
            }
            return Transport::always_reachable || s.count * s.elem_size >= agree_from;
        } else {
            return false;
        }
    }

    /// Begins a slice, as run number `run` of the direct executor or, with 0, over messages. False
    /// if the lane of that run is still taken. Everything must live until the slice has ended.
    bool begin(engine<Transport>& e, program& p, slice_call const& of, int slice,
               std::uint64_t run) {
        if (run != 0 && !e.lane_is_free(run)) { return false; }
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
        if constexpr (can_be_direct) {
            if (at_ == stage::agreeing && !agree()) { return false; }
            if (at_ == stage::by_memory) { return memory_.progress() && end(); }
        }
        return messages_.progress() && end();
    }
    void cancel() {
        if (at_ == stage::by_message) { messages_.cancel(); }
        if (at_ != stage::idle) { end(); }
    }

    /// Grows with what gets done by the direct executor, which the transport does not see.
    std::uint64_t ticks() const {
        if constexpr (can_be_direct) {
            return memory_.ticks();
        } else {
            return 0;
        }
    }
    /// What does not fit, in words; empty while all is well.
    std::string complaint() const {
        if constexpr (can_be_direct) {
            if (memory_.wrong()) { return "a peer came with another call"; }
        }
        return at_ == stage::by_message ? messages_.complaint() : std::string();
    }

private:
    enum class stage { idle, agreeing, by_message, by_memory };

    bool end() {
        engine_->scratch.give_back(std::exchange(scratch_, {}));
        if (run_ != 0) { engine_->leave_lane(std::exchange(run_, 0)); }
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
        auto const& steps =
            program_
                ->messages(slice_, Transport::can_consume && shape.elem_size <= largest_consumed)
                .steps;
        scratch_ = engine_->scratch.take(steps.scratch);
        message_label label;
        label.operation = static_cast<std::uint32_t>(of_->call->sequence);
        label.segment = slice_;
        label.what = of_->call->what;
        auto const tag = message_tag(engine_->context(), of_->hash, of_->call->sequence, slice_);
        messages_.start(engine_->carrier(), engine_->group(), steps, buffers(), of_->op, tag,
                        shape.elem_size, &engine_->board().stop_word(), label);
        at_ = stage::by_message;
    }

    /// Says where this rank's buffers are. Empty ones need not be reached.
    void begin_direct() {
        if constexpr (can_be_direct) {
            planned_ = &program_->direct(slice_);
            scratch_ = engine_->scratch.take(planned_->steps.scratch);
            auto const reach = [&](void const* p, std::size_t bytes) {
                auto const empty = p == nullptr || bytes == 0;
                return empty ? std::uint64_t{1} : engine_->carrier().reach(p, bytes);
            };
            auto const at = buffers();
            auto const& shape = program_->shape();
            auto const behind = program_->offset_of(slice_);
            memory_.announce(engine_->board(), engine_->rank(), run_, of_->hash,
                             {reach(at.input, shape.input_bytes() - behind),
                              reach(at.output, shape.output_bytes() - behind),
                              reach(at.scratch, scratch_.bytes)},
                             shape.in_place, planned_->steps);
            at_ = stage::agreeing;
        }
    }
    /// Waits for all ranks to enter, where their buffers decide which executor it is to be.
    bool agree() {
        if constexpr (can_be_direct) {
            using agreement = typename direct_run<Transport>::agreement;
            auto how = agreement::reachable;
            if constexpr (!Transport::always_reachable) {
                if (run_ != engine_->agreed_run + 1) { return false; }
                how = memory_.agree(engine_->size());
                if (how == agreement::not_yet) { return false; }
            }
            engine_->agreed_run = std::max(engine_->agreed_run, run_);
            if (how == agreement::reachable) {
                memory_.start(engine_->carrier(), engine_->group(), planned_->steps,
                              planned_->remote, buffers(), of_->op);
                at_ = stage::by_memory;
            } else {
                end();
                begin_messages();
            }
        }
        return true;
    }

    engine<Transport>* engine_ = nullptr;
    program* program_ = nullptr;
    slice_call const* of_ = nullptr;
    bound_plan const* planned_ = nullptr;
    stage at_ = stage::idle;
    int slice_ = 0;
    std::uint64_t run_ = 0;
    typename scratch_pool<Transport>::buffer scratch_{};
    message_run<Transport> messages_;
    [[no_unique_address]] typename detail::direct_part<Transport>::type memory_;
};

}  // namespace collectives
