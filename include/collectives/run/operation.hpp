// SPDX-License-Identifier: BSD-3-Clause
// A collective under way: its segments run the schedule side by side, a few at a time.
#pragma once

#include <collectives/core/shared.hpp>
#include <collectives/run/cell_run.hpp>
#include <collectives/run/segment_run.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>
#include <utility>

namespace collectives::inline v0::detail {

/// One rank's part of a collective. The object is reused from call to call.
class operation : public activity {
    static constexpr int side_by_side = 4;

public:
    operation() = default;
    [[gnu::cold]] ~operation() override = default;

    /// Enters the operation. `op` (null if nothing is reduced), its operator and the buffers must
    /// live until the operation is done.
    void start(engine& e, shared_pointer<program> const& what, void const* in, void* out,
               reducer const* op, std::chrono::nanoseconds time) {
        reset(e, what->call(), e.calls.enter(what->call(), what->hash()), in, out, op, time);
        guarded([&] { run(what); });
    }
    /// The run in cells, for a call that is begun before it becomes an operation.
    cell_run& cells() { return cells_; }
    /// Continues a call in cells that was entered as `entered` and whose cell `cells` has written.
    void resume(engine& e, shared_pointer<program> const& what, entry entered,
                std::chrono::nanoseconds time) {
        reset(e, what->call(), entered, nullptr, nullptr, nullptr, time);
        program_ = what;
        mode_ = mode::cells;
        cell_written_ = true;
    }
    /// Begins a call of one segment over messages, whose plan is `steps`. `go_on` moves it until it
    /// returns true, or `resume` makes it an operation like others. Throws bad_alloc.
    void begin(engine& e, program& p, plans::plan const& steps, entry const& entered,
               running_call const& of) {
        of_ = of;
        of_.call = &call;
        of_.hash = entered.history_hash;
        call.what = p.call().what;
        call.sequence = entered.sequence;
        segments_.front().begin(e, p, of_, steps);
    }
    /// Does what can be done now over the call's transport. Returns true once the call has ended,
    /// but for its place in the book of calls. Throws what goes wrong.
    template <class Transport>
    bool go_on(Transport& by) {
        return segments_.front().progress(by);
    }
    /// Continues what `begin` has begun, or ends it with what `go_on` has thrown, if anything.
    void resume(engine& e, shared_pointer<program> what, entry const& entered,
                std::exception_ptr const& went_wrong, std::chrono::nanoseconds time) {
        auto const begun = of_;
        reset(e, what->call(), entered, begun.in, begun.out, begun.op, time);
        program_ = std::move(what);
        mode_ = mode::segments;
        first_run_ = 0;
        next_ = 1;
        if (went_wrong) {
            guarded([&] { std::rethrow_exception(went_wrong); });
        }
    }
    /// Ends the operation with an exception. That breaks the communicator, since this rank can no
    /// longer do its part.
    [[gnu::cold, gnu::noinline]] void give_up(std::exception_ptr what) {
        thrown = what;
        try {
            std::rethrow_exception(what);
        } catch (...) { engine_->break_by_exception(title_of{*this}); }
    }
    /// The rank of the call that was just started computes meanwhile, so the call is not timed, and
    /// no peer waits for more than it must.
    void leave_unawaited() {
        of_.reads = nullptr;
        of_.is_awaited = false;
    }
    /// For buffers on a device: calls what(whose) when the results have been enqueued. `what` may
    /// enqueue more; the operation is done when that is done.
    void end_with(void (*what)(void* whose), void* whose) {
        behind_ = what;
        whose_ = whose;
    }

    bool progress() override {
        bool ended = false;
        guarded([&] { ended = advance(); });
        return ended;
    }

    [[gnu::cold]] wait_point where() const override {
        auto at = activity::where();
        auto const* i = mode_ == mode::cells && cell_written_ ? cells_.stuck_at() : nullptr;
        for (auto s = segments_.begin(); i == nullptr && s != segments_.end(); ++s) {
            i = s->stuck_at();
        }
        if (i != nullptr) { at.round = i->round, at.peer = i->peer; }
        return at;
    }

    [[gnu::cold]] void cancel() override {
        if (auto* const device = space().device()) { device->drain_if_possible(); }
        for (auto& s : segments_) { s.cancel(); }
        engine_->scratch.abandon(std::exchange(input_, {}));
    }

protected:
    [[gnu::noinline]] void reset(engine& e, fingerprint const& what, entry entered, void const* in,
                                 void* out, reducer const* op, std::chrono::nanoseconds time) {
        engine_ = &e;
        of_ = {static_cast<std::byte const*>(in), static_cast<std::byte*>(out), op, &call,
               entered.history_hash};
        call = what;
        call.sequence = entered.sequence;
        call.past = entered.past;
        allowed = time;
        deadline = next_look = {};
        mismatch_text.clear();
        mismatched_rank = -1;
        done = mismatched = false;
        thrown = nullptr;
        next_ = ended_ = 0;
        completion_ = 0;
    }

    void run(shared_pointer<program> const& what) {
        program_ = what;
        if (engine_->has_cells() && program_->in_cells() != nullptr) {
            mode_ = mode::cells;
            cell_number_ = engine_->reserve_cell();
            cell_written_ = false;
            return;
        }
        prepare();
        mode_ = mode::segments;
        first_run_ = 0;
        if (segment_run::is_in_memory(*engine_, *program_)) {
            first_run_ = engine_->runs.reserve(program_->segments());
            auto const& shape = program_->shape();
            auto const judges = !engine_->memory()->always_reachable() &&
                                lowering::suits_lending(shape) &&
                                lowering::judge_of_lending(shape) == engine_->rank();
            if (judges) {
                reads_ = {steady::now()};
                of_.reads = &reads_;
            }
        }
    }

    virtual bool advance() { return mode_ == mode::cells ? advance_cells() : advance_segments(); }
    void become_mismatched(std::string_view why) {
        mismatched = true;
        mismatch_text.clear();
        add_text(mismatch_text, why);
    }
    /// Runs a part of the operation. What it throws is kept for the caller.
    void guarded(function_ref<void()> part) {
        try {
            device_scope const here(space().device());
            part();
        } catch (transport_error const&) {
            // A peer that left a failed operation may have freed memory that this rank reads.
            if (!engine_->stopped()) { give_up(std::current_exception()); }
        } catch (...) { give_up(std::current_exception()); }
    }

private:
    enum class mode { cells, segments };

    /// Applies the operator's `prepare` to this rank's contribution, if there is one. An in-place
    /// all_to_all works on a copy of its input.
    void prepare() {
        auto const& s = program_->shape();
        auto const scales = of_.op != nullptr && of_.op->prepares;
        if (!scales && !(s.what == collective::all_to_all && s.in_place)) { return; }
        auto* to = of_.out;
        if (s.what != collective::all_reduce) {
            input_ = engine_->scratch.take(s.input_bytes());
            to = input_.data;
        }
        for (int i = 0; i < s.parts(); ++i) {
            auto const part = s.part(i);
            auto const offset = part.first * s.elem_size;
            if (scales) {
                of_.op->prepare(to + offset, of_.in + offset, part.size, space().queue());
            } else {
                space().copy(to + offset, of_.in + offset, part.size * s.elem_size);
            }
        }
        of_.in = to;
    }

    bool end() {
        if (!has_settled()) { return false; }
        release_input();
        if (of_.reads != nullptr && reads_.is_known()) {
            engine_->memory()->note_reading(lowering::lending_case_of(program_->shape()),
                                            reads_.how(), steady::now() - reads_.since);
        }
        engine_->calls.finish(call.sequence);
        return true;
    }
    /// Whether the device has done all that was enqueued; true on the host.
    bool has_settled() {
        auto* const device = space().device();
        if (device == nullptr) { return true; }
        if (completion_ == 0) {
            if (behind_ != nullptr) { behind_(whose_); }
            completion_ = device->completion();
        }
        return device->passed(completion_) && none_is_released(*device);
    }
    /// False if a rank died before it had finished this call, and the device no longer waits for
    /// it.
    bool none_is_released(device_space const& device) {
        for (rank_t r = 0; r < engine_->size(); ++r) {
            auto const left_work = engine_->board().finished(r) < call.sequence;
            if (left_work && device.is_released(engine_->group().job_rank(r))) { return false; }
        }
        return true;
    }
    any_space space() const { return engine_->space(); }
    void release_input() { engine_->scratch.give_back(std::exchange(input_, {})); }

    bool advance_cells() {
        if (!cell_written_) {
            auto& e = *engine_;
            auto const& form = *program_->in_cells();
            if (e.cells.next() != cell_number_ || !e.cells.may_write(e.shared_board(), form)) {
                return false;
            }
            cells_.start(e, cell_number_, form, of_);
            e.shared_board().wake_others();
            cell_written_ = true;
            ++ticks;
        }
        if (!cells_.is_ready()) {
            if (cells_.wrong()) {
                mismatched_rank = cells_.wrong_peer();
                become_mismatched("a peer came with another call");
            }
            return false;
        }
        cells_.finish();
        engine_->cells.finish(cells_.all_come());
        return end();
    }

    bool advance_segments() {
        auto const segments = program_->segments();
        for (auto& s : segments_) {
            auto const run = first_run_ == 0 ? 0 : first_run_ + static_cast<std::uint64_t>(next_);
            if (s.idle() && next_ < segments && s.begin(*engine_, *program_, of_, next_, run)) {
                ++next_;
            }
            if (s.idle()) { continue; }
            auto const before = s.ticks();
            if (s.progress()) {
                ++ended_;
                ++ticks;
            }
            ticks += s.ticks() - before;
            if (auto const wrong = s.mismatch_text(); !wrong.empty()) { become_mismatched(wrong); }
        }
        return ended_ == segments && end();
    }

    engine* engine_ = nullptr;
    shared_pointer<program> program_;
    running_call of_{};
    reading_time reads_;
    scratch_pool::buffer input_{};
    mode mode_ = mode::segments;
    bool cell_written_ = false;
    std::uint64_t cell_number_ = 0;
    std::uint64_t first_run_ = 0;  // 0: over messages
    int next_ = 0, ended_ = 0;
    std::uint64_t completion_ = 0;  // on a device: the end of the operation
    void (*behind_)(void*) = nullptr;
    void* whose_ = nullptr;
    std::array<segment_run, side_by_side> segments_;
    cell_run cells_;
};

}  // namespace collectives::detail
