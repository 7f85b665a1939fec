// SPDX-License-Identifier: BSD-3-Clause
// Carries out plans over messages.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/text.hpp>
#include <collectives/plan/plan.hpp>
#include <collectives/run/buffers.hpp>
#include <collectives/run/engine.hpp>
#include <collectives/run/program.hpp>
#include <collectives/run/running_call.hpp>
#include <collectives/transport/any_transport.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>

namespace collectives::inline v0::detail {

/// One run of a plan over messages. The object is reused from call to call, so a call like the one
/// before allocates nothing. `progress` never blocks.
class message_run {
public:
    /// Starts the run of a segment under this tag. All arguments must live until `progress` returns
    /// true, or until `cancel`.
    [[gnu::always_inline]] void start(plans::plan const& p, run_buffers at, engine& e,
                                      program const& prepared, running_call const& of, int segment,
                                      std::uint64_t tag) {
        plan_ = &p;
        buffers_ = at;
        engine_ = &e;
        program_ = &prepared;
        of_ = &of;
        segment_ = segment;
        tag_ = tag;
        next_ = posted_ = tested_ = 0;
        mismatch_text_.clear();
        thrown_ = nullptr;
    }

    /// Does what can be done now. Returns true once the output is complete. Throws what the
    /// operator throws.
    bool progress() { return progress(engine_->carrier()); }
    /// The same over `by`, the run's transport with a type of its own: then no message takes a
    /// virtual call.
    template <class Transport>
    bool progress(Transport& by) {
        for (; next_ < plan_->program.size(); ++next_) {
            if (!carry_out(plan_->program[next_], by)) { return false; }
        }
        return true;
    }
    /// Says that a message of the wrong size came, so the ranks disagree. Empty if none did.
    std::string_view mismatch_text() const { return mismatch_text_; }

    /// The instruction that it cannot get past: a message that is not done, or null.
    [[gnu::cold]] plans::instruction const* stuck_at() const {
        if (next_ >= plan_->program.size()) { return nullptr; }
        auto const& i = plan_->program[next_];
        return i.what == opcode::test ? &post_of(i.number) : nullptr;
    }

    [[gnu::cold]] void cancel() {
        for (; tested_ < posted_; ++tested_) {
            engine_->carrier().cancel(*slots_[tested_]->request);
        }
    }

private:
    using instruction = plans::instruction;
    using opcode = plans::opcode;

    struct feed {  // the context of a consumer
        message_run* run = nullptr;
        int number = 0;                   // of the request
        std::size_t first = 0, last = 0;  // the instructions that may reduce the message
    };
    struct slot {
        owned<any_request> request;
        feed its{};
    };

    plans::place const& source(instruction const& i, int k) const {
        return plan_->sources[static_cast<std::size_t>(i.sources.first + k)];
    }
    std::byte* first_destination(instruction const& i) const {
        return buffers_.write(
            plan_->destinations[static_cast<std::size_t>(i.destinations.first)].to);
    }
    /// The number of the source that message `number` brings (-1: any message); -1 if there is
    /// none.
    int source_in_message(instruction const& i, int number) const {
        for (int k = 0; i.what == opcode::reduce && k < i.sources.size(); ++k) {
            auto const& p = source(i, k);
            if (p.where == plans::memory::message && (number < 0 || p.number == number)) {
                return k;
            }
        }
        return -1;
    }

    template <class Transport>
    bool carry_out(instruction const& i, Transport& by) {
        switch (i.what) {
            case opcode::copy:
                if (i.bytes != 0) {
                    engine_->space().copy(first_destination(i), buffers_.read(source(i, 0)),
                                          i.bytes);
                }
                break;
            case opcode::send: post_send(i, by); break;
            case opcode::receive: post_receive(i, by); break;
            case opcode::test: return test(i, by);
            case opcode::reduce: reduce(i); break;
            case opcode::wait:
            case opcode::publish: break;  // plans over messages have none
        }
        return true;
    }

    any_request& request(instruction const& i) {
        auto const n = static_cast<std::size_t>(i.number);
        while (slots_.size() <= n) { make_slot(); }
        if (n == 0) { tested_ = 0; }
        posted_ = n + 1;
        return *slots_[n]->request;
    }
    [[gnu::cold, gnu::noinline]] void make_slot() {
        auto made = make_owned<slot>();
        made->request = engine_->carrier().make_request();
        slots_.push_back(std::move(made));
    }
    /// A transport without its type may be an adaptor, which reads labels.
    template <class Transport>
    message_label label(instruction const& i) const {
        if constexpr (!std::is_same_v<Transport, any_transport>) { return {}; }
        return {static_cast<std::uint32_t>(of_->call->sequence),
                i.round,
                segment_,
                i.chunks,
                of_->call->what,
                i.action};
    }
    template <class Transport>
    void post_send(instruction const& i, Transport& by) {
        by.isend({engine_->group().job_rank(i.peer), tag_, 0, buffers_.read(source(i, 0)), i.bytes,
                  program_->shape().elem_size, label<Transport>(i), program_->sizes_agreed()},
                 request(i));
    }
    template <class Transport>
    void post_receive(instruction const& i, Transport& by) {
        auto& posted = request(i);
        incoming in{engine_->group().job_rank(i.peer),
                    tag_,
                    0,
                    nullptr,
                    i.bytes,
                    program_->shape().elem_size,
                    {},
                    &engine_->stop_word(),
                    label<Transport>(i),
                    program_->sizes_agreed()};
        if (i.destinations.size() != 0) {
            in.data = first_destination(i);
        } else {
            auto& f = slots_[static_cast<std::size_t>(i.number)]->its;
            f = {this, i.number, next_ + 1, next_ + 1};
            while (plan_->program[f.last].what != opcode::test) { ++f.last; }
            in.take = {&message_run::take, &f};
        }
        by.irecv(in, posted);
    }
    template <class Transport>
    bool test(instruction const& i, Transport& by) {
        if (!mismatch_text_.empty()) { return false; }
        auto& posted = *slots_[static_cast<std::size_t>(i.number)]->request;
        auto const done = by.test(posted);
        if (done) {
            tested_ = static_cast<std::size_t>(i.number) + 1;
            if (posted.wrong()) { complain(i.number, posted); }
        }
        if (thrown_) { std::rethrow_exception(std::exchange(thrown_, nullptr)); }
        return done && mismatch_text_.empty();
    }
    /// The instruction that posts the request with which the run is at.
    instruction const& post_of(int number) const {
        auto const* i = &plan_->program[next_ - 1];
        auto const posts = [](opcode what) {
            return what == opcode::send || what == opcode::receive;
        };
        while (!posts(i->what) || i->number != number) { --i; }
        return *i;
    }
    [[gnu::cold]] void complain(int number, any_request const& r) {
        auto const& i = post_of(number);
        mismatch_text_.clear();
        add_text(mismatch_text_, "rank ", i.peer, " sent ", r.came_cut() ? "at least " : "",
                 r.actual_bytes(), " bytes, rank ", engine_->group().rank(), " expected ", i.bytes);
    }

    /// The transport calls this, perhaps while it works for another operation. So an exception of
    /// the operator is kept until `progress` is called.
    static void take(void* context, std::size_t offset, std::byte const* data, std::size_t bytes) {
        auto const& f = *static_cast<feed const*>(context);
        auto& run = *f.run;
        if (run.thrown_) { return; }
        try {
            for (auto k = f.first; k < f.last; ++k) {
                run.reduce_part(run.plan_->program[k], f.number, offset, data, bytes);
            }
        } catch (...) { run.thrown_ = std::current_exception(); }
    }
    /// Reduces the whole elements of a message that have come, as far as they belong to this
    /// instruction.
    void reduce_part(instruction const& i, int number, std::size_t offset, std::byte const* data,
                     std::size_t bytes) {
        auto const of_message = source_in_message(i, number);
        if (of_message < 0) { return; }
        auto const start = source(i, of_message).offset;
        auto const first = std::max(offset, start);
        auto const last = std::min(offset + bytes, start + i.bytes);
        if (first >= last) { return; }
        reduce_to(i, first - start, last - first, [&](int k) {
            return k == of_message ? data + (first - offset)
                                   : buffers_.read(source(i, k)) + (first - start);
        });
    }
    void reduce(instruction const& i) {
        if (source_in_message(i, -1) >= 0) { return; }  // was reduced as it came
        reduce_to(i, 0, i.bytes, [&](int k) { return buffers_.read(source(i, k)); });
    }
    /// `address(k)`: the address of source number k.
    template <class Address>
    void reduce_to(instruction const& i, std::size_t from, std::size_t bytes, Address&& address) {
        sources_.clear();
        for (int k = 0; k < i.sources.size(); ++k) { sources_.push_back(address(k)); }
        detail::carry_out(i, *of_->op, first_destination(i) + from, sources_.data(), bytes,
                          {.size = engine_->size(), .queue = engine_->space().queue()});
    }

    plans::plan const* plan_ = nullptr;
    run_buffers buffers_{};
    engine* engine_ = nullptr;
    program const* program_ = nullptr;
    running_call const* of_ = nullptr;
    int segment_ = 0;
    std::uint64_t tag_ = 0;
    std::size_t next_ = 0;                 // instruction
    std::size_t posted_ = 0, tested_ = 0;  // requests of the round under way
    std::string mismatch_text_;
    std::exception_ptr thrown_;
    lean_vector<owned<slot>> slots_;    // by the number of the request
    lean_vector<void const*> sources_;  // of the reduction under way
};

}  // namespace collectives::detail
