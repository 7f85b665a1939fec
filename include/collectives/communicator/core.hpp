// SPDX-License-Identifier: BSD-3-Clause
// What is below the typed members of a communicator: checks a call, makes it ready, runs it.
#pragma once

#include <collectives/communicator/background_calls.hpp>
#include <collectives/communicator/call_fingerprint.hpp>
#include <collectives/communicator/device_calls.hpp>
#include <collectives/communicator/program_cache.hpp>
#include <collectives/communicator/routes.hpp>
#include <collectives/communicator/segments.hpp>
#include <collectives/core/deferred.hpp>
#include <collectives/core/text.hpp>
#include <collectives/executor/operation.hpp>
#include <collectives/executor/point_to_point.hpp>
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

namespace collectives {

template <transport Transport>
class communicator_core {
public:
    communicator_core(std::shared_ptr<hub<Transport>> shared, typename Transport::board board,
                      rank_group group, std::uint64_t context, machine_model prices)
        : engine_(std::move(shared), std::move(board), std::move(group), context) {
        prices.processors = shared_processors();
        selector_.use(prices);
        if constexpr (requires { engine_.carrier().host(rank_t{}); }) {
            std::vector<int> hosts;
            for (rank_t r = 0; r < engine_.size(); ++r) {
                hosts.push_back(engine_.carrier().host(engine_.group().job_rank(r)));
            }
            selector_.place(host_layout(hosts));
        }
        if constexpr (device_transport<Transport>) { selector_.prefer(device_choice(engine_)); }
    }
    communicator_core(communicator_core const&) = delete;
    communicator_core& operator=(communicator_core const&) = delete;
    ~communicator_core() {
        background_.end();
        auto const turn = engine_.turn();
        if constexpr (driven_transport<Transport>) { driven_.close(engine_); }
        engine_.retire();
    }

    collectives::engine<Transport>& engine() { return engine_; }
    collectives::selector& selector() { return selector_; }
    /// Other prices: what was chosen by the old ones is chosen anew.
    void use(machine_model prices) {
        auto const turn = engine_.turn();
        prices.processors = shared_processors();
        selector_.use(prices);
        kept_.clear();
    }

    /// "rank 3, all_reduce: " and what is wrong with the call.
    [[noreturn]] void refuse(collective what, std::string_view why) const {
        throw usage_error(text_of("rank ", engine_.rank(), ", ", name(what), ": ", why));
    }
    void require(bool fine, collective what, std::string_view why) const {
        if (!fine) { refuse(what, why); }
    }
    void require_rank(rank_t r, collective what, char const* role) const {
        if (r < 0 || r >= engine_.size()) {
            refuse(what, text_of(role, " ", r, " is no rank of ", engine_.size()));
        }
    }

    /// Starts a collective on `o`. Throws usage_error before anything is sent.
    void start(operation<Transport>& o, call_request const& r) {
        if constexpr (driven_transport<Transport>) { driven_.look(engine_); }
        engine_.require_usable(r.as);
        if constexpr (device_transport<Transport>) { begin_on_device(*this, r); }
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
        auto const turn = engine_.turn();
        if constexpr (driven_transport<Transport>) {
            auto const own = r.how.stream == nullptr;
            if (auto const a = start_driven(r, own)) { return a->waits ? finish(*a) : forget(*a); }
        }
        if constexpr (flat_transport<Transport>) {
            if (run_flat(r)) { return; }
        }
        auto o = take();
        running guard{this, o.get()};
        start(*o, r);
        engine_.wait(*o);
        idle_.push_back(std::move(o));
    }

    /// Enqueues a call that the devices drive, if this is one; else gives null.
    std::unique_ptr<driven_call<Transport>> start_driven(call_request const& r, bool is_waited_for)
        requires driven_transport<Transport>
    {
        auto* const driver = own_driver();
        if (driver == nullptr || !detail::may_be_driven(r, driver->most_element_bytes())) {
            return {};
        }
        auto asked = r.how.algorithm;
        auto const bytes = r.shape.count * r.shape.elem_size;
        if (asked.is_automatic()) { asked = selector_.overridden(requirement_of(r), bytes); }
        auto const what = detail::driven_kind_of<Transport>(r.shape.what, bytes, asked);
        if (!what) { return {}; }
        auto const call =
            fingerprint_of(r, asked.is_automatic() ? detail::algorithm_of(*what) : asked);
        return driven_.start(*this, r, *what, call, is_waited_for);
    }
    /// What `automatic` takes, for the elements and operators of most calls.
    explanation explain(collective what, std::size_t bytes) {
        auto const turn = engine_.turn();
        requirement const need{what, engine_.size(), 0, false, false};
        if constexpr (driven_transport<Transport>) {
            auto const told = selector_.overridden(need, bytes);
            if (own_driver() != nullptr) {
                if (auto driven = detail::explain_driven<Transport>(need, bytes, told)) {
                    return *driven;
                }
            }
        }
        return selector_.explain(need, bytes);
    }

    /// Ends with `a`, which must have been started.
    void finish(activity& a) {
        running const guard{this, &a};
        engine_.wait(a);
    }
    void forget(activity& a) {
        auto const turn = engine_.turn();
        background_.remove(a);
        engine_.remove(a);
    }
    /// The turn in which a call is started.
    turns::turn turn_to_start() { return background_.turn(engine_); }
    /// Has it moved in the background, where started calls are; within that turn.
    void leave_alone(activity& a) {
        a.start_clock(steady::now());
        background_.add(a);
    }

    std::unique_ptr<operation<Transport>> take() {
        if (idle_.empty()) { return std::make_unique<operation<Transport>>(); }
        auto o = std::move(idle_.back());
        idle_.pop_back();
        return o;
    }
    std::uint64_t next_pair_number() { return ++pairs_; }

    /// A program for the caller to keep. `content` stands for what the elements are, where all
    /// ranks must agree on that too.
    std::shared_ptr<program> make_program(call_request const& r, std::uint64_t content) {
        auto const chosen = choose(r);
        auto call = fingerprint_of(r, chosen);
        call.counts = content;
        return std::make_shared<program>(r.shape, chosen, slices_of(r, chosen), call);
    }

private:
    /// Null where the host drives all calls of this communicator.
    cuda::device_driver* own_driver()
        requires driven_transport<Transport>
    {
        auto* const driver = engine_.carrier().driver();
        return driver != nullptr && driver->context == engine_.context() ? driver : nullptr;
    }
    struct running {  // takes the activity out of the engine, whatever happens
        communicator_core* core;
        activity* what;
        ~running() { core->forget(*what); }
    };
    /// Processors, this communicator's part of those of the job; 0 where not all ranks know them.
    int shared_processors() {
        if constexpr (requires { engine_.carrier().processors(); }) {
            auto const all = engine_.carrier().size();
            return std::max(engine_.carrier().processors() * engine_.size() / all, 1);
        } else {
            return 0;
        }
    }

    /// The short way of a small call when nothing else is under way: no object for it is made
    /// before it has waited for a while. False if it is none: then nothing has been done.
    bool run_flat(call_request const& r)
        requires flat_transport<Transport>
    {
        if (!engine_.is_quiet() || blocks_vary(r)) { return false; }
        auto const& made = prepare(r);
        auto const* const form = flat_part<Transport>::form_of(*made);
        auto& flats = engine_.flats;
        if (form == nullptr || !flats.may_start(engine_.board(), *form)) { return false; }
        auto const entered = engine_.number(made->hash());
        flat_.start(engine_.carrier(), engine_.board(), flats, engine_.watch, engine_.group(),
                    engine_.reserve_flat(), entered.mark, *form, r.in, r.out, r.op);
        engine_.leave_word(made->call(), made->hash(), entered);  // while the cell is on its way
        std::exception_ptr thrown;
        if (engine_.wait_briefly([this] { return flat_.is_ready() || flat_.wrong(); }) &&
            !flat_.wrong()) {
            try {
                flat_.finish();
                flats.finish(flat_.waits_for_all());
                engine_.finish(entered.sequence);
                return true;
            } catch (...) { thrown = std::current_exception(); }
        }
        auto o = take();
        running guard{this, o.get()};
        o->resume(engine_, made, entered, flat_, r.how.timeout.span());
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
            require(named.fits(need.size), r.as,
                    text_of(name(named), " is not for ", need.size, " ranks"));
            if (auto const proof = selector_.proof_of(named, need); !proof.ok) {
                refuse(r.as, text_of(name(named), " is not correct for ", need.size,
                                     " ranks: ", proof.what));
            }
            auto const why = need.left_fold ? " cannot keep .reproducible"
                                            : " does not keep the order of the ranks, which an "
                                              "operator that does not commute needs";
            refuse(r.as, text_of(name(named), why, " (", need.size,
                                 " ranks); these do: ", selector_.names_that_suit(need)));
        }
        // Off the root nobody knows how long the vector is, so its length must not decide.
        auto const bytes = blocks_vary(r) ? 0 : r.shape.count * r.shape.elem_size;
        return selector_.choose(need, bytes);
    }

    int slices_of(call_request const& r, any_algorithm by) const {
        return detail::slices_of<Transport>(r, by,
                                            [&](std::string const& why) { refuse(r.as, why); });
    }

    /// The program of a call, from the last few or new. O(1) for a call like the one before.
    std::shared_ptr<program> const& prepare(call_request const& r) {
        auto const* const found = kept_.find(r);
        return found != nullptr ? *found : prepare_anew(r);
    }
    std::shared_ptr<program> const& prepare_anew(call_request const& r) {
        auto const chosen = choose(r);
        auto made = std::make_shared<program>(r.shape, chosen, slices_of(r, chosen),
                                              fingerprint_of(r, chosen));
        return kept_.add(r, std::move(made));
    }
    typename operation<Transport>::program_maker program_maker(call_request r) {
        return [this, r](std::size_t count) mutable {
            auto const own = block(count, r.shape.size, r.shape.rank).size;
            auto const mine = r.shape.knows_all_blocks ? own : r.shape.count;
            require(own == mine, r.as,
                    text_of("rank ", r.shape.root, " has ", count, " elements in all, so rank ",
                            r.shape.rank, "'s block is ", own, ", not ", mine));
            r.shape.count = count;
            r.shape.knows_all_blocks = true;
            auto const chosen = choose(r);
            return std::make_shared<program>(r.shape, chosen, 1, fingerprint_of(r, chosen));
        };
    }

    collectives::engine<Transport> engine_;
    collectives::selector selector_;
    program_cache kept_;
    deferred<route_book, Transport> routes_;
    std::vector<std::unique_ptr<operation<Transport>>> idle_;
    std::uint64_t pairs_ = 0;
    [[no_unique_address]] flat_part<Transport> flat_;
    [[no_unique_address]] driven_part<Transport> driven_;
    [[no_unique_address]] background_part<collectives::engine<Transport>, Transport> background_;
};

}  // namespace collectives
