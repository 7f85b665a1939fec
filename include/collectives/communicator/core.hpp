// SPDX-License-Identifier: BSD-3-Clause
// The part of a communicator below its typed members: checks a call, prepares it and runs it.
#pragma once

#include <collectives/communicator/background_calls.hpp>
#include <collectives/communicator/call_fingerprint.hpp>
#include <collectives/communicator/call_planner.hpp>
#include <collectives/communicator/device_calls.hpp>
#include <collectives/communicator/planned_call.hpp>
#include <collectives/communicator/request_maker.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/run/operation.hpp>
#include <collectives/run/pair_message.hpp>
#include <collectives/run/unsized_operation.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>

namespace collectives::inline v0::detail {

class communicator_core {
public:
    communicator_core(shared_pointer<rank_progress> const& shared, owned<any_board>&& board,
                      rank_group&& group, std::uint64_t context, machine_model const& prices)
        : engine_(shared, std::move(board), std::move(group), context),
          planner_(engine_, prices),
          short_path_(engine_.carrier().short_path) {}
    communicator_core(communicator_core const&) = delete;
    communicator_core& operator=(communicator_core const&) = delete;
    [[gnu::cold]] ~communicator_core() {
        background_.end();
        auto const lock = engine_.lock();
        engine_.retire();
    }

    detail::engine& engine() { return engine_; }
    call_planner& planner() { return planner_; }
    request_maker make() const { return {engine_.rank(), engine_.size(), engine_.calls}; }
    /// Binds `r` to the kernel of the device that holds the buffers, if a device does.
    void bind(reducer& r) const {
        auto const* const device = engine_.space().device();
        if (device != nullptr && !device->bind(r)) { r.reduce = nullptr; }
    }

    /// Starts a collective on `o`. Throws usage_error before anything is sent.
    void start(operation& o, call_request const& r) {
        begin(r);
        o.start(engine_, planner_.prepare(r), r.in, r.out, r.op, r.how.timeout.span());
        engine_.add(o);
    }
    /// The same for a gather or scatter without counts.
    void start(unsized_operation& o, call_request const& r) {
        begin(r);
        auto const time = r.how.timeout.span();
        auto const plan = planner_.prepare_unsized(r);
        if (plan.made != nullptr) {
            o.start(engine_, *plan.made, r.in, r.out, r.op, time);
        } else {
            o.start_counting(engine_, fingerprint_of(r, plan.by), r.shape.count,
                             planner_.late_maker(r, plan.by), r.in, r.out, time);
        }
        engine_.add(o);
    }
    /// Runs a collective to its end: any but those of `run_as_messages`.
    void run(call_request const& r) {
        auto const lock = engine_.lock();
        require_stream(r.reported_as, r.how);
        if (engine_.has_cells() && run_in_cells(r)) { return; }
        if (short_path_ != nullptr && short_path_(*this, r)) { return; }
        complete<operation>(idle_, r);
    }
    /// Runs a call that travels as messages in memory, too, since not every rank knows all sizes: a
    /// gather or scatter without counts, or an all_to_all with counts.
    void run_as_messages(call_request const& r);

    /// Starts a collective; Operation is unsized_operation for a gather or scatter without counts.
    /// It progresses when its caller tests or waits; on a device also while the caller computes.
    template <class Operation>
    owned<activity> start_operation(call_request const& r) {
        auto const lock = lock_to_start(r.reported_as, r.how);
        auto o = make_owned<Operation>();
        start(*o, r);
        o->leave_unawaited();
        leave_alone(*o, r.how);
        return o;
    }
    /// Plans a call. Throws usage_error.
    owned<planned_call> plan(call_request const& r, shared_pointer<void const> kept) {
        auto const lock = engine_.lock();
        engine_.require_usable(r.reported_as);
        require_way(r.reported_as, r.how);
        auto planned = make_owned<planned_call>(r, std::move(kept));
        auto const by = planner_.choose(r);
        if (!planner_.needs_whole_count(r, by)) { planned->made = planner_.make_program(r, by); }
        return planned;
    }
    /// Starts a planned call.
    void start(planned_call& p) {
        auto const& r = p.request;
        make().require(!p.under_way, r.reported_as, "the planned call is under way");
        auto const lock = lock_to_start(r.reported_as, r.how);
        if (p.made == nullptr) {
            start(p.run, r);
        } else {
            begin(r);
            p.run.start(engine_, p.made, r.in, r.out, r.op, r.how.timeout.span());
            engine_.add(p.run);
        }
        p.run.leave_unawaited();
        p.under_way = true;
        leave_alone(p.run, r.how);
    }
    /// Starts a send or a receive.
    owned<activity> start_pair(pair_call const& r) {
        auto const lock = lock_to_start(r.what, r.how);
        idle_pairs_.reserve(most_kept);  // so that `keep` needs no memory
        auto m = take<pair_message>(idle_pairs_);
        start(static_cast<pair_message&>(*m), r);
        if (!m->done) { leave_alone(*m, r.how); }
        return m;
    }
    /// Runs a send or a receive to its end.
    void run_pair(pair_call const& r) {
        auto const lock = engine_.lock();
        require_stream(r.what, r.how);
        complete<pair_message>(idle_pairs_, r);
    }
    /// Runs a receive and a send at once. Throws the first failure once both have ended.
    void run_pairs(pair_call const& received, pair_call const& sent);
    /// Returns once `a`, which must have been started, has ended.
    void finish(activity& a) {
        running const guard{this, &a};
        engine_.wait(a);
    }
    /// The same for one that `start_operation` or `start_pair` gave.
    void finish(owned<activity> a) {
        auto const lock = engine_.lock();
        if (!a->ended_at_once()) { finish(*a); }
        keep(std::move(a));
    }
    /// Whether such a one has ended. Then it is taken.
    bool test(owned<activity>& a) {
        auto const lock = engine_.lock();
        if (!engine_.test(*a)) { return false; }
        forget(*a);
        keep(std::move(a));
        return true;
    }
    void forget(activity& a) {
        auto const lock = engine_.lock();
        background_.remove(a);
        engine_.remove(a);
    }

    /// Ends all calls on all ranks with an error that says `why`. Safe from any thread.
    [[gnu::cold]] void abort(std::string_view why);
    /// Once: survivors that go on twice would get the same memory.
    bool may_shrink() { return !std::exchange(has_shrunk_, true); }
    /// A number for each communicator that is derived from this one.
    std::uint64_t next_derived() { return ++derived_; }

private:
    template <class Transport>
    friend struct message_path;

    /// An operation that is not in use. The list has room for it when it comes back.
    template <class Operation, class Base>
    [[gnu::noinline]] static owned<Base> take(lean_vector<owned<Base>>& from) {
        if (from.empty()) { from.push_back(make_owned<Operation>()); }
        auto o = std::move(from.back());
        from.pop_back();
        return o;
    }
    /// For message_path: the operation that begins next, and the wait for it as an activity.
    operation& next_operation();
    void wait_over_messages(call_request const& r, shared_pointer<program> const& what,
                            entry const& entered, std::exception_ptr const& thrown);
    template <class Operation, class Base, class Call>
    void complete(lean_vector<owned<Base>>& idle, Call const& r) {
        auto o = take<Operation>(idle);
        running guard{this, o.get()};
        start(static_cast<Operation&>(*o), r);
        if (!o->is_message() && may_end_at_once(*o)) { o->done = o->progress(); }
        engine_.wait(*o);
        idle.push_back(std::move(o));
    }
    /// Keeps a send or a receive that has ended well, for the next one to use.
    void keep(owned<activity> a) {
        if (a->is_message() && idle_pairs_.size() < most_kept) {
            idle_pairs_.push_back(std::move(a));
        }
    }
    void start(pair_message& m, pair_call const& r);
    /// Whether `a`, if it need not wait, may end without polling. Some poll all the same, because a
    /// rank that never polls would keep others waiting; all do while collectives are under way.
    [[gnu::noinline]] bool may_end_at_once(activity const& a) {
        auto const& work = *engine_.shared()->work;
        auto const is_alone = a.is_message() ? work.calls == 0 : work.active.size() == 1;
        return ++calls_ % calls_between_polls != 0 && is_alone;
    }
    /// The checks before anything is sent.
    void begin(call_request const& r) {
        engine_.require_usable(r.reported_as);
        // `add` comes when something is posted, and must not throw then.
        engine_.shared()->work->active.make_room(1);
        if (on_device()) { begin_on_device(engine_, r); }
    }
    bool on_device() const { return engine_.space().device() != nullptr; }
    void require_stream(collective what, options const& how) const {
        if (how.stream == nullptr || on_device()) { return; }
        make().refuse(what, "a stream is for communicators of devices alone");
    }
    /// Whether a thread moves a started call while the rank computes.
    bool goes_on_alone(options const& how) const {
        return on_device() || how.progress == background;
    }
    void require_way(collective what, options const& how) {
        require_stream(what, how);
        make().require(how.progress != background || engine_.carrier().any_thread(), what,
                       "another thread may not use this transport: initialise MPI with "
                       "MPI_THREAD_SERIALIZED");
    }
    /// Takes the progress lock while a call starts.
    progress_lock::guard lock_to_start(collective what, options const& how) {
        require_way(what, how);
        return goes_on_alone(how) ? background_.lock(engine_) : engine_.lock();
    }
    /// Hands a started call to the background thread, if there is one. The caller holds the lock.
    void leave_alone(activity& a, options const& how) {
        a.start_clock(steady::now());
        if (goes_on_alone(how)) { background_.add(a); }
    }
    struct running {  // takes the activity out of the engine, whatever happens
        communicator_core* core;
        activity* what;
        ~running() { core->forget(*what); }
    };
    /// The short path of a small call when nothing else is under way. No object is made for the
    /// call before it has waited for a while. Returns false if the call cannot take this path; then
    /// nothing has been done.
    [[gnu::always_inline]] bool run_in_cells(call_request const& r) {
        if (!engine_.is_quiet()) { return false; }
        auto const& made = planner_.prepare(r);
        auto const* const form = made->in_cells();
        auto& cells = engine_.cells;
        if (form == nullptr || !cells.may_start(engine_.shared_board(), *form)) { return false; }
        if (idle_.empty()) { idle_.push_back(take<operation>(idle_)); }
        auto& cell = idle_.back()->cells();  // of the operation that takes over if it waits long
        auto const entered = engine_.calls.number(made->hash());
        cell.start(engine_, engine_.reserve_cell(), *form,
                   {static_cast<std::byte const*>(r.in), static_cast<std::byte*>(r.out), r.op,
                    &made->call(), entered.history_hash});
        engine_.calls.leave_word(made->call(), made->hash(),
                                 entered);  // while the cell is in transfer
        std::exception_ptr thrown;
        auto patience = engine_.patience();
        if (engine_.wait_briefly([&cell] { return cell.is_ready() || cell.wrong(); }, patience) &&
            !cell.wrong()) {
            try {
                cell.finish();
                cells.finish(cell.all_come());
                engine_.calls.finish(entered.sequence);
                return true;
            } catch (...) { thrown = std::current_exception(); }
        }
        auto o = take<operation>(idle_);
        running guard{this, o.get()};
        o->resume(engine_, made, entered, r.how.timeout.span());
        o->start_clock(patience.since());
        if (thrown) { o->give_up(thrown); }
        engine_.add(*o);
        engine_.wait(*o);
        idle_.push_back(std::move(o));
        return true;
    }

    detail::engine engine_;
    call_planner planner_;
    short_path short_path_;  // over messages; null: none
    lean_vector<owned<operation>> idle_;
    lean_vector<owned<unsized_operation>> idle_unsized_;
    lean_vector<owned<activity>> idle_pairs_;      // programs that never send need no more of it
    static constexpr std::size_t most_kept = 128;  // of these
    static constexpr unsigned calls_between_polls = 16;
    unsigned calls_ = 0;
    std::uint64_t derived_ = 0;
    bool has_shrunk_ = false;
    background_calls background_;
};

}  // namespace collectives::detail
