// SPDX-License-Identifier: BSD-3-Clause
// The part of a communicator below its typed members: checks a call, prepares it and runs it.
#pragma once

#include <collectives/communicator/background_calls.hpp>
#include <collectives/communicator/call_fingerprint.hpp>
#include <collectives/communicator/device_calls.hpp>
#include <collectives/communicator/program_cache.hpp>
#include <collectives/communicator/requests.hpp>
#include <collectives/communicator/routes.hpp>
#include <collectives/communicator/segments.hpp>
#include <collectives/core/text.hpp>
#include <collectives/run/operation.hpp>
#include <collectives/run/point_to_point.hpp>
#include <collectives/select/selector.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace collectives::inline v0::detail {

class communicator_core {
public:
    communicator_core(std::shared_ptr<rank_progress> shared, std::unique_ptr<any_board> board,
                      rank_group group, std::uint64_t context, machine_model prices)
        : engine_(std::move(shared), std::move(board), std::move(group), context) {
        prices.processors = shared_processors();
        selector_.use(prices);
        if (engine_.carrier().knows_hosts()) {
            std::vector<int> hosts;
            for (rank_t r = 0; r < engine_.size(); ++r) {
                hosts.push_back(engine_.carrier().host(engine_.group().job_rank(r)));
            }
            selector_.place(host_layout(hosts));
        }
        if (on_device()) { selector_.prefer(device_choice(engine_)); }
    }
    communicator_core(communicator_core const&) = delete;
    communicator_core& operator=(communicator_core const&) = delete;
    ~communicator_core() {
        background_.end();
        auto const lock = engine_.lock();
        engine_.retire();
    }

    detail::engine& engine() { return engine_; }
    collectives::selector& selector() { return selector_; }
    /// Takes other prices. Choices made by the old ones are made anew.
    void use(machine_model prices) {
        auto const lock = engine_.lock();
        prices.processors = shared_processors();
        selector_.use(prices);
        kept_.clear();
    }

    request_maker make() const { return {engine_.rank(), engine_.size()}; }
    /// Binds `r` to the kernel of the device that holds the buffers, if a device does.
    void bind(reducer& r) const {
        auto const* const device = engine_.space().device();
        if (device != nullptr && !device->bind(r)) { r.reduce = nullptr; }
    }

    /// Starts a collective on `o`. Throws usage_error before anything is sent.
    void start(operation& o, call_request const& r) {
        engine_.require_usable(r.as);
        if (on_device()) { begin_on_device(engine_, r); }
        auto const time = r.how.timeout.span();
        if (blocks_vary(r) && routes_.passes_on(choose(r), r.shape)) {
            auto const call = fingerprint_of(r, choose(r));
            o.start_counting(engine_, call, r.shape.count, program_maker(r), r.in, r.out, time);
        } else {
            o.start(engine_, prepare(r), r.in, r.out, r.op, time);
        }
        engine_.add(o);
    }
    /// Runs a collective to its end.
    void run(call_request const& r) {
        auto const lock = engine_.lock();
        require_stream(r.as, r.how);
        if (engine_.has_cells() && run_in_cells(r)) { return; }
        auto o = take();
        running guard{this, o.get()};
        start(*o, r);
        engine_.wait(*o);
        idle_.push_back(std::move(o));
    }

    /// Starts a collective. It progresses when its caller tests or waits; on a device also while
    /// the caller computes.
    std::unique_ptr<activity> start_operation(call_request const& r) {
        auto const lock = lock_to_start();
        require_stream(r.as, r.how);
        auto o = std::make_unique<operation>();
        start(*o, r);
        leave_alone(*o);
        return o;
    }
    /// Starts a send, which only reads `data`, or a receive.
    std::unique_ptr<activity> start_pair(collective what, element_type of, memory_span data,
                                         rank_t peer, int tag, options const& how) {
        auto const lock = lock_to_start();
        engine_.require_usable(what);
        make().require_rank(peer, what, "peer");
        require_stream(what, how);
        if (on_device()) { follow_stream(engine_, what, how.stream, data, {}); }
        fingerprint call;
        call.what = what;
        call.count = data.bytes / of.size;
        call.type = of.id;
        call.type_name = of.name;
        call.sequence = ++pairs_;
        auto m = std::make_unique<pair_message>();
        auto* const bytes = const_cast<std::byte*>(static_cast<std::byte const*>(data.data));
        try {
            m->start(engine_, call, peer, tag, bytes, data.bytes, of.size, how.timeout.span());
        } catch (transport_error const&) {
            engine_.break_by_exception(name(what));
            throw;
        }
        engine_.add(*m);
        leave_alone(*m);
        return m;
    }
    /// What `automatic` takes, for the element types and operators of most calls.
    explanation explain(collective what, std::size_t bytes) {
        auto const lock = engine_.lock();
        requirement const need{what, engine_.size(), 0, false, false};
        return selector_.explain(need, bytes);
    }

    /// Returns once `a`, which must have been started, has ended.
    void finish(activity& a) {
        running const guard{this, &a};
        engine_.wait(a);
    }
    void forget(activity& a) {
        auto const lock = engine_.lock();
        background_.remove(a);
        engine_.remove(a);
    }

    std::unique_ptr<operation> take() {
        if (idle_.empty()) { return std::make_unique<operation>(); }
        auto o = std::move(idle_.back());
        idle_.pop_back();
        return o;
    }
    /// A number for each communicator that is derived from this one.
    std::uint64_t next_derived() { return ++derived_; }

    /// Makes a program for the caller to keep. `content` stands for the elements, if all ranks must
    /// agree on them too.
    std::shared_ptr<program> make_program(call_request const& r, std::uint64_t content) {
        auto const chosen = choose(r);
        auto call = fingerprint_of(r, chosen);
        call.counts = content;
        return std::make_shared<program>(r.shape, chosen, segments_of(r, chosen), call);
    }

private:
    way_of_data way() const {
        if (on_device()) { return way_of_data::on_device; }
        return engine_.memory() != nullptr ? way_of_data::in_memory : way_of_data::by_messages;
    }
    bool on_device() const { return engine_.space().device() != nullptr; }
    void require_stream(collective what, options const& how) const {
        if (how.stream == nullptr || on_device()) { return; }
        make().refuse(what, "a stream is for communicators of devices alone");
    }
    /// Takes the progress lock while a call starts.
    progress_lock::guard lock_to_start() {
        return on_device() ? background_.lock(engine_) : engine_.lock();
    }
    /// Hands a started call to the background thread, if there is one. The caller holds the lock.
    void leave_alone(activity& a) {
        a.start_clock(steady::now());
        if (on_device()) { background_.add(a); }
    }
    struct running {  // takes the activity out of the engine, whatever happens
        communicator_core* core;
        activity* what;
        ~running() { core->forget(*what); }
    };
    /// This communicator's part of the job's processors; 0 if not all ranks know them.
    int shared_processors() {
        auto const all = engine_.carrier().processors();
        return all == 0 ? 0 : std::max(all * engine_.size() / engine_.carrier().size(), 1);
    }

    /// The short path of a small call when nothing else is under way. No object is made for the
    /// call before it has waited for a while. Returns false if the call cannot take this path; then
    /// nothing has been done.
    [[gnu::always_inline]] bool run_in_cells(call_request const& r) {
        if (!engine_.is_quiet() || blocks_vary(r)) { return false; }
        auto const& made = prepare(r);
        auto const* const form = made->in_cells();
        auto& cells = engine_.cells;
        if (form == nullptr || !cells.may_start(engine_.shared_board(), *form)) { return false; }
        auto const entered = engine_.calls.number(made->hash());
        cell_.start(engine_.carrier(), engine_.shared_board(), cells, engine_.watch,
                    engine_.group(), engine_.reserve_cell(), entered.mark, *form, r.in, r.out,
                    r.op);
        engine_.calls.leave_word(made->call(), made->hash(),
                                 entered);  // while the cell is in transfer
        std::exception_ptr thrown;
        if (engine_.wait_briefly([this] { return cell_.is_ready() || cell_.wrong(); }) &&
            !cell_.wrong()) {
            try {
                cell_.finish();
                cells.finish(cell_.all_come());
                engine_.calls.finish(entered.sequence);
                return true;
            } catch (...) { thrown = std::current_exception(); }
        }
        auto o = take();
        running guard{this, o.get()};
        o->resume(engine_, made, entered, cell_, r.how.timeout.span());
        if (thrown) { o->give_up(thrown); }
        engine_.add(*o);
        engine_.wait(*o);
        idle_.push_back(std::move(o));
        return true;
    }

    requirement requirement_of(call_request const& r) const {
        auto const& s = r.shape;
        return {s.what, s.size, s.root, r.op != nullptr && !r.op->commutative,
                r.op != nullptr && r.how.reproducible};
    }
    any_algorithm choose(call_request const& r) {
        auto const need = requirement_of(r);
        if (auto const named = r.how.algorithm; !named.is_automatic()) {
            if (selector_.suits(named, need)) { return named; }
            make().require(named.fits(need.size), r.as,
                           text_of(name(named), " is not for ", need.size, " ranks"));
            if (auto const proof = selector_.proof_of(named, need); !proof.ok) {
                make().refuse(r.as, text_of(name(named), " is not correct for ", need.size,
                                            " ranks: ", proof.what));
            }
            auto const why = need.left_fold ? " cannot keep .reproducible"
                                            : " does not keep the order of the ranks, which an "
                                              "operator that does not commute needs";
            make().refuse(r.as, text_of(name(named), why, " (", need.size,
                                        " ranks); these do: ", selector_.names_that_suit(need)));
        }
        // Only the root knows how long the vector is, so the length must not decide.
        auto const bytes = blocks_vary(r) ? 0 : r.shape.count * r.shape.elem_size;
        return selector_.choose(need, bytes);
    }

    int segments_of(call_request const& r, any_algorithm by) const {
        return detail::segments_of(r, by, way(),
                                   [&](std::string const& why) { make().refuse(r.as, why); });
    }

    /// The program of a call: one of the last few, or a new one. O(1) for a call like the one
    /// before.
    std::shared_ptr<program> const& prepare(call_request const& r) {
        auto const* const found = kept_.find(r);
        return found != nullptr ? *found : prepare_anew(r);
    }
    std::shared_ptr<program> const& prepare_anew(call_request const& r) {
        auto const chosen = choose(r);
        auto made = std::make_shared<program>(r.shape, chosen, segments_of(r, chosen),
                                              fingerprint_of(r, chosen));
        return kept_.add(r, std::move(made));
    }
    operation::program_maker program_maker(call_request r) {
        return [this, r](std::size_t count) mutable {
            auto const own = block(count, r.shape.size, r.shape.rank).size;
            auto const mine = r.shape.knows_all_blocks ? own : r.shape.count;
            make().require(
                own == mine, r.as,
                text_of("rank ", r.shape.root, " has ", count, " elements in all, so rank ",
                        r.shape.rank, "'s block is ", own, ", not ", mine));
            r.shape.count = count;
            r.shape.knows_all_blocks = true;
            auto const chosen = choose(r);
            return std::make_shared<program>(r.shape, chosen, 1, fingerprint_of(r, chosen));
        };
    }

    detail::engine engine_;
    collectives::selector selector_;
    program_cache kept_;
    route_book routes_;
    std::vector<std::unique_ptr<operation>> idle_;
    std::uint64_t pairs_ = 0, derived_ = 0;
    cell_run cell_;
    background_calls background_;
};

}  // namespace collectives::detail
