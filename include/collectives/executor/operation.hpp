// SPDX-License-Identifier: BSD-3-Clause
// A collective under way: its slices run the schedule side by side, a few at a time, on whichever
// executor the transport and the buffers allow.
#pragma once

#include <collectives/executor/count_exchange.hpp>
#include <collectives/executor/direct.hpp>
#include <collectives/executor/engine.hpp>
#include <collectives/executor/flat.hpp>
#include <collectives/executor/message.hpp>
#include <collectives/executor/program.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
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
template <class Board>
struct flat_part {
    using type = nothing;
};
template <flat_board Board>
struct flat_part<Board> {
    using type = flat_run<Board>;
};

}  // namespace detail

/// Reused from call to call. One rank's part of a collective.
template <transport Transport>
class operation final : public activity {
    static constexpr bool can_be_direct = direct_transport<Transport>;
    static constexpr bool can_be_flat =
        peer_addressable<Transport> && flat_board<typename Transport::board>;
    static constexpr int side_by_side = 4;
    static constexpr int lanes = 8;
    static constexpr std::size_t agree_from = 32 * 1024;  // bytes; below, messages are quicker

public:
    /// Makes the program of a call once its whole count is known. Throws usage_error if this rank's
    /// block does not fit that count.
    using program_maker = std::function<std::shared_ptr<program>(std::size_t count)>;

    /// Enters the operation. `op` (null where nothing is reduced), its operator and the buffers must
    /// live until it is done.
    void start(engine<Transport>& e, std::shared_ptr<program> what, void const* in, void* out,
               reducer const* op, std::chrono::nanoseconds time) {
        reset(e, what->call(), in, out, op, time);
        run(std::move(what));
    }
    /// The same where only the root knows the whole count: it tells the others first.
    void start_counting(engine<Transport>& e, fingerprint const& what, std::size_t count,
                        program_maker make, void const* in, void* out,
                        std::chrono::nanoseconds time) {
        reset(e, what, in, out, nullptr, time);
        mode_ = mode::counting;
        make_ = std::move(make);
        counting_.start(e.carrier(), e.group(), what.root, tag_of(call.hash(), -1), count,
                        &e.board().stop_word());
    }

    bool progress() override {
        try {
            return advance();
        } catch (std::exception const& x) {
            give_up(x.what());
        } catch (...) {
            give_up("an unknown exception");
        }
        return false;
    }

    void cancel() override {
        if (mode_ == mode::counting) { counting_.cancel(); }
        for (auto& s : slots_) {
            if (s.at == slot::by_message) { s.messages.cancel(); }
            release(s);
        }
        release_input();
    }

private:
    enum class mode { counting, flat, alone, runs };

    void reset(engine<Transport>& e, fingerprint const& what, void const* in, void* out,
               reducer const* op, std::chrono::nanoseconds time) {
        engine_ = &e;
        op_ = op;
        in_ = static_cast<std::byte const*>(in);
        out_ = static_cast<std::byte*>(out);
        call = what;
        allowed = time;
        deadline = {};
        suspicion.clear();
        done = suspicious = false;
        thrown = nullptr;
        next_ = ended_ = 0;
        call.sequence = e.enter(call);
    }
    void run(std::shared_ptr<program> what) {
        program_ = std::move(what);
        if (is_flat()) {
            mode_ = mode::flat;
            flat_number_ = engine_->next_flat++;
            flat_started_ = false;
            return;
        }
        prepare();
        auto const& shape = program_->shape();
        mode_ = shape.size == 1 && reduces(shape.what) ? mode::alone : mode::runs;
        direct_ = is_direct_candidate();
        if (direct_) { first_run_ = engine_->reserve_runs(program_->slices()); }
    }
    /// The root has told how long the whole is; its program is what `run` needs.
    bool advance_counting() {
        if (!counting_.progress()) { return false; }
        ++ticks;
        try {
            run(make_(counting_.count()));
        } catch (usage_error const& e) {
            suspicion = e.what();
            suspect(true);
        }
        return false;
    }
    std::uint64_t tag_of(std::uint64_t hash, int slice) const {
        return mix(mix(engine_->context(), hash),
                   call.sequence << 20 | static_cast<std::uint64_t>(slice + 1));
    }

    struct slot {  // a slice under way
        enum state { idle, agreeing, by_message, by_memory };
        state at = idle;
        int slice = 0;
        std::uint64_t run = 0;
        std::uint64_t seen = 0;
        bound_plan const* planned = nullptr;
        typename scratch_pool<Transport>::buffer scratch{};
        message_run<Transport> messages;
        [[no_unique_address]] typename detail::direct_part<Transport>::type memory;
    };

    std::size_t input_bytes() const {
        auto const& s = program_->shape();
        return own_bytes(s.what == collective::all_gather || s.what == collective::gather);
    }
    std::size_t output_bytes() const {
        auto const& s = program_->shape();
        return own_bytes(s.what == collective::reduce_scatter || s.what == collective::scatter);
    }
    std::size_t own_bytes(bool own_block) const {
        auto const& s = program_->shape();
        auto const me = static_cast<std::size_t>(s.rank);
        auto const elements = !own_block || !s.knows_all_blocks ? s.count
                              : s.counts.empty()                ? block(s.count, s.size, s.rank).size
                                                                : s.counts[me];
        return elements * s.elem_size;
    }

    bool is_flat() const {
        if constexpr (can_be_flat) {
            auto const& s = program_->shape();
            return (s.what == collective::all_reduce || s.what == collective::barrier) &&
                   s.count * s.elem_size <= flat_bytes<typename Transport::board>() &&
                   program_->algorithm().name() == "one_shot" && s.size > 1;
        } else {
            return false;
        }
    }
    /// Only what is equal on all ranks decides. A rank must be able to tell where its peers' values
    /// lie, so blocks that not all ranks know travel as messages.
    bool is_direct_candidate() const {
        if constexpr (can_be_direct) {
            auto const& s = program_->shape();
            if (s.size == 1 || s.what == collective::barrier || !s.recv_counts.empty() ||
                program_->blocks_vary()) {
                return false;
            }
            return Transport::always_reachable || s.count * s.elem_size >= agree_from;
        } else {
            return false;
        }
    }

    /// Sends each contribution through the operator's `prepare` where it has one. An in-place
    /// all_to_all reads a copy of its input.
    void prepare() {
        auto const& s = program_->shape();
        auto const bytes = s.count * s.elem_size;
        if (op_ != nullptr && op_->prepare != nullptr) {
            auto* to = out_;
            if (s.what != collective::all_reduce) {
                input_ = engine_->scratch.take(bytes);
                to = input_.data;
            }
            op_->prepare(op_->op, to, in_, s.count);
            in_ = to;
        } else if (s.what == collective::all_to_all && s.in_place) {
            input_ = engine_->scratch.take(bytes);
            host::copy(input_.data, in_, bytes);
            in_ = input_.data;
        }
    }

    bool advance() {
        if (mode_ == mode::counting) { return advance_counting(); }
        if (mode_ == mode::flat) { return advance_flat(); }
        if (mode_ == mode::alone) {
            void const* const source = in_;
            op_->run(out_, &source, 1, program_->shape().count, 1);
            return end();
        }
        auto const slices = program_->slices();
        for (auto& s : slots_) {
            if (s.at == slot::idle && next_ < slices && begin(s, next_)) { ++next_; }
            if (s.at == slot::idle) { continue; }
            if (advance_slot(s)) {
                ++ended_;
                ++ticks;
                release(s);
            }
        }
        return ended_ == slices && end();
    }
    bool end() {
        release_input();
        engine_->finish(call.sequence);
        return true;
    }

    bool advance_flat() {
        if constexpr (can_be_flat) {
            auto const& s = program_->shape();
            if (!flat_started_) {
                if (engine_->flat_done != flat_number_ - 1) { return false; }
                flat_.start(engine_->board(), engine_->group(), flat_number_, program_->hash(), in_,
                            out_, s.count * s.elem_size, op_);
                flat_started_ = true;
            }
            if (!flat_.progress()) {
                suspect(flat_.wrong());
                return false;
            }
            engine_->flat_done = flat_number_;
        }
        return end();
    }

    run_buffers buffers(slot const& s) const {
        auto const behind = program_->offset_of(s.slice);
        return {in_ == nullptr ? nullptr : in_ + behind, out_ == nullptr ? nullptr : out_ + behind,
                s.scratch.data};
    }

    bool begin(slot& s, int slice) {
        s.slice = slice;
        if constexpr (can_be_direct) {
            if (direct_) {
                s.run = first_run_ + static_cast<std::uint64_t>(slice);
                if (!engine_->lane_is_free(s.run, lanes)) { return false; }
                engine_->set_lane(s.run, lanes, true);
                s.planned = &program_->direct(slice);
                s.scratch = engine_->scratch.take(s.planned->steps.scratch);
                announce(s);
                s.at = slot::agreeing;
                return true;
            }
        }
        begin_messages(s);
        return true;
    }
    void begin_messages(slot& s) {
        auto const consumes = Transport::can_consume && program_->shape().elem_size <= 4096;
        s.planned = &program_->messages(s.slice, consumes);
        s.scratch = engine_->scratch.take(s.planned->steps.scratch);
        message_label label;
        label.operation = static_cast<std::uint32_t>(call.sequence);
        label.segment = s.slice;
        label.what = call.what;
        s.messages.start(engine_->carrier(), engine_->group(), s.planned->steps, buffers(s), op_,
                         tag_of(program_->hash(), s.slice), program_->shape().elem_size, &engine_->board().stop_word(), label);
        s.at = slot::by_message;
    }
    void announce(slot& s) {
        if constexpr (can_be_direct) {
            auto& t = engine_->carrier();
            auto const at = buffers(s);
            auto const reach = [&](void const* p, std::size_t bytes) {
                auto const empty = p == nullptr || bytes == 0;  // nothing there to be reached
                return empty ? std::uint64_t{1} : t.reach(p, bytes);
            };
            s.memory.announce(engine_->board(), engine_->rank(), s.run, program_->hash(),
                              {reach(at.input, input_bytes() - offset_in(s)),
                               reach(at.output, output_bytes() - offset_in(s)),
                               reach(at.scratch, s.scratch.bytes)},
                              program_->shape().in_place);
        }
    }
    std::size_t offset_in(slot const& s) const { return program_->offset_of(s.slice); }

    bool advance_slot(slot& s) {
        if constexpr (can_be_direct) {
            if (s.at == slot::agreeing && !agree(s)) { return false; }
            if (s.at == slot::by_memory) {
                auto const ended = s.memory.progress();
                ticks += s.memory.ticks() - s.seen;
                s.seen = s.memory.ticks();
                suspect(s.memory.wrong());
                return ended;
            }
        }
        auto const ended = s.messages.progress();
        if (s.messages.wrong()) { suspicion = s.messages.complaint(); }
        suspect(s.messages.wrong());
        return ended;
    }
    /// Waits for all ranks to enter where their buffers decide which executor it is to be.
    bool agree(slot& s) {
        if constexpr (can_be_direct) {
            using agreement = typename direct_run<Transport>::agreement;
            auto how = agreement::reachable;
            if constexpr (!Transport::always_reachable) {
                if (s.run != engine_->agreed_run + 1) { return false; }
                how = s.memory.agree(engine_->size());
                suspect(s.memory.wrong());
                if (how == agreement::not_yet) { return false; }
            }
            engine_->agreed_run = std::max(engine_->agreed_run, s.run);
            if (how == agreement::reachable) {
                s.memory.start(engine_->carrier(), engine_->group(), s.planned->steps,
                               s.planned->remote, buffers(s), op_);
                s.seen = s.memory.ticks();
                s.at = slot::by_memory;
            } else {
                release(s);
                begin_messages(s);
            }
        }
        return true;
    }

    void release(slot& s) {
        engine_->scratch.give_back(std::exchange(s.scratch, {}));
        if (s.run != 0) { engine_->set_lane(std::exchange(s.run, 0), lanes, false); }
        s.at = slot::idle;
    }
    void release_input() { engine_->scratch.give_back(std::exchange(input_, {})); }

    void suspect(bool wrong) {
        if (!wrong) { return; }
        suspicious = true;
        if (suspicion.empty()) { suspicion = "a peer came with another call"; }
    }
    void give_up(std::string const& why) {
        thrown = std::current_exception();
        engine_->board().fail(failure::make(
            failure_kind::peer_lost,
            call.title() + ": on rank " + std::to_string(engine_->rank()) + " it threw: " + why,
            engine_->rank()));
    }

    engine<Transport>* engine_ = nullptr;
    std::shared_ptr<program> program_;
    reducer const* op_ = nullptr;
    std::byte const* in_ = nullptr;
    std::byte* out_ = nullptr;
    typename scratch_pool<Transport>::buffer input_{};
    mode mode_ = mode::runs;
    count_exchange<Transport> counting_;
    program_maker make_;
    bool direct_ = false;
    bool flat_started_ = false;
    std::uint64_t flat_number_ = 0;
    std::uint64_t first_run_ = 0;
    int next_ = 0, ended_ = 0;
    std::array<slot, side_by_side> slots_;
    [[no_unique_address]] typename detail::flat_part<typename Transport::board>::type flat_;
};

}  // namespace collectives
