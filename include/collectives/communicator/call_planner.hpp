// SPDX-License-Identifier: BSD-3-Clause
// From a call to its program: chooses the algorithm and the segments, and keeps the last programs.
#pragma once

#include <collectives/communicator/call_fingerprint.hpp>
#include <collectives/communicator/device_calls.hpp>
#include <collectives/communicator/forwarding_cache.hpp>
#include <collectives/communicator/program_cache.hpp>
#include <collectives/communicator/request_maker.hpp>
#include <collectives/communicator/segments.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/core/text.hpp>
#include <collectives/run/engine.hpp>
#include <collectives/run/unsized_operation.hpp>
#include <collectives/select/selector.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::detail {

/// One per communicator. Holds the prices, and everything that was chosen by them.
class call_planner {
public:
    [[gnu::cold]] call_planner(engine& of, machine_model const& prices) : engine_(of) {
        selector_.use(completed(prices));
        if (engine_.carrier().host(engine_.carrier().rank()) >= 0) {
            lean_vector<int> hosts;
            for (rank_t r = 0; r < engine_.size(); ++r) {
                hosts.push_back(engine_.carrier().host(engine_.group().job_rank(r)));
            }
            selector_.place(host_layout(hosts));
        }
        if (way() == way_of_data::on_device) { selector_.prefer(device_choice(engine_)); }
    }

    call_planner(call_planner const&) = delete;
    call_planner& operator=(call_planner const&) = delete;
    [[gnu::cold]] ~call_planner() = default;

    machine_model const& model() const { return selector_.model(); }
    /// Takes other prices. Choices made by the old ones are made anew.
    void use(machine_model const& prices) {
        auto const lock = engine_.lock();
        selector_.use(completed(prices));
        kept_.clear();
    }
    /// What `automatic` takes, for the element types and operators of most calls.
    explanation explain(collective what, std::size_t bytes) {
        auto const lock = engine_.lock();
        requirement const need{what, engine_.size(), 0, false, false};
        return selector_.explain(need, bytes);
    }

    [[gnu::cold]] any_algorithm choose(call_request const& r) {
        auto const need = requirement_of(r);
        if (auto const named = r.how.algorithm; !named.is_automatic()) {
            if (selector_.suits(named, need)) { return named; }
            make().refuse(r.reported_as, name(named), why_not(named, need));
        }
        // Only the root knows how long the vector is, so the length must not decide.
        auto const bytes = blocks_vary(r) ? 0 : r.shape.count * r.shape.elem_size;
        return selector_.choose(need, bytes);
    }

    /// The program of a call: one of the last few, or a new one. O(1) for a call like the one
    /// before.
    shared_pointer<program> const& prepare(call_request const& r) {
        auto const* const found = kept_.find(r);
        return found != nullptr ? *found : prepare_anew(r);
    }
    /// The program of an earlier call that was equal, else null.
    shared_pointer<program> const* find(call_request const& r) { return kept_.find(r); }
    struct unsized_plan {
        shared_pointer<program> const* made;
        any_algorithm by;  // set where nothing is made yet
    };
    /// The program of a gather or scatter without counts. It is null if ranks must hear the whole
    /// count first; then `by` will make it. What was made before needs no new choice.
    unsized_plan prepare_unsized(call_request const& r) {
        if (auto const* const found = kept_.find(r); found != nullptr) { return {found, {}}; }
        auto const by = choose(r);
        if (needs_whole_count(r, by)) { return {nullptr, by}; }
        return {&kept_.add(r, make_program(r, by)), {}};
    }
    /// Makes a program, of the algorithm that was chosen, for the caller to keep. `content` stands
    /// for the elements, if all ranks must agree on them too.
    [[gnu::cold]] shared_pointer<program> make_program(call_request const& r, any_algorithm by,
                                                       std::uint64_t content = 0) {
        auto call = fingerprint_of(r, by);
        if (content != 0) { call.counts = content; }
        return make_shared_object<program>(r.shape, by, segments_of(r, by), call);
    }
    /// Whether ranks must hear the whole count before they can make the program.
    bool needs_whole_count(call_request const& r, any_algorithm by) {
        return blocks_vary(r) && forwards_.passes_on(by, r.shape);
    }
    owned<program_maker> late_maker(call_request const& r, any_algorithm by) const {
        return make_owned<late_program>(r, by);
    }

private:
    /// Makes the program of a call whose whole count this rank hears of late.
    struct late_program final : program_maker {
        late_program(call_request const& r, any_algorithm a) : request(r), by(a) {}
        shared_pointer<program> make(std::size_t count) override {
            auto& shape = request.shape;
            auto const own = block(count, shape.size, shape.rank).size;
            auto const mine = shape.knows_all_blocks ? own : shape.count;
            if (own != mine) {  // its report names the call, which has a number already
                throw_error<usage_error>("rank ", shape.root, " has ", count,
                                         " elements in all, so rank ", shape.rank, "'s block is ",
                                         own, ", not ", mine);
            }
            shape.count = count;
            shape.knows_all_blocks = true;
            return make_shared_object<program>(shape, by, 1, fingerprint_of(request, by));
        }

        call_request request;
        any_algorithm by;
    };

    request_maker make() const { return {engine_.rank(), engine_.size(), engine_.calls}; }
    way_of_data way() const {
        if (engine_.space().device() != nullptr) { return way_of_data::on_device; }
        return engine_.memory() != nullptr ? way_of_data::in_memory : way_of_data::by_messages;
    }
    /// The prices with what this communicator knows of its ranks.
    machine_model completed(machine_model m) {
        m.processors = shared_processors();
        m.in_memory = way() == way_of_data::in_memory;
        return m;
    }
    /// This communicator's part of the job's processors; 0 if not all ranks know them.
    int shared_processors() {
        auto const all = engine_.carrier().processors();
        return all == 0 ? 0 : std::max(all * engine_.size() / engine_.carrier().size(), 1);
    }

    requirement requirement_of(call_request const& r) const {
        auto const& s = r.shape;
        return {s.what, s.size, s.root, r.op != nullptr && !r.op->commutative,
                r.op != nullptr && r.how.reproducible};
    }
    /// Says why an algorithm does not suit a call.
    [[gnu::cold]] std::string why_not(any_algorithm named, requirement const& need) {
        if (!named.fits(need.size)) { return text_of(" is not for ", need.size, " ranks"); }
        if (auto const proof = selector_.proof_of(named, need); !proof.ok) {
            return text_of(" is not correct for ", need.size, " ranks: ", proof.what);
        }
        auto const* const why = need.left_fold ? " cannot keep .reproducible"
                                               : " does not keep the order of the ranks, which an "
                                                 "operator that does not commute needs";
        return text_of(why, " (", need.size,
                       " ranks); these do: ", selector_.names_that_suit(need));
    }
    int segments_of(call_request const& r, any_algorithm by) const {
        return detail::segments_of(
            r, by, way(), [&](auto const&... why) { make().refuse(r.reported_as, why...); });
    }

    [[gnu::cold]] shared_pointer<program> const& prepare_anew(call_request const& r) {
        return kept_.add(r, make_program(r, choose(r)));
    }

    engine& engine_;
    collectives::detail::selector selector_;
    program_cache kept_;
    forwarding_cache forwards_;
};

}  // namespace collectives::detail
