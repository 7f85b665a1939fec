// SPDX-License-Identifier: BSD-3-Clause
// Going on after a loss.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/communicator/core.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/core/text.hpp>
#include <collectives/run/diagnosis.hpp>
#include <collectives/transport/loss.hpp>
#include <collectives/transport/message.hpp>

#include <chrono>
#include <utility>

namespace collectives::inline v0 {

namespace detail {

/// The ranks that go on, the same on all of them. A senseless message from a peer does not end
/// this, because the communicator is broken already. A transport that fails a hundred times in a
/// row does.
[[gnu::cold]] inline lean_vector<rank_t> agree_on_survivors(engine& e, timeout time) {
    auto const until = time.deadline(steady::now());
    auto const lost = [&](rank_t r) {
        auto const how = exit_of(e.board(), e.carrier(), e.group(), r);
        return steady::now() >= until || (how && !how->lives);
    };
    for (int refused = 0;;) {
        lean_vector<rank_t> survivors;
        if (e.board().agree_on_survivors(lost, survivors)) { return survivors; }
        // Where ranks agree by messages, the answers of some may never come.
        if (until != steady::time_point::max() &&
            steady::now() >= until + std::chrono::seconds(2)) {
            auto const silent = e.board().silent_ranks();
            throw timeout_error(text_of("rank ", e.rank(), ", shrink: time ran out; of the ",
                                        e.size(), " ranks these do not answer: ", list_of(silent)),
                                silent);
        }
        try {
            e.shared()->progress();
        } catch (transport_error const&) {}  // who waits for that operation hears of it
        try {
            e.carrier().receive_control({});
            e.shared()->work->lock->step_aside();
            e.shared()->doze([] { return false; }, std::chrono::milliseconds(1));
            refused = 0;
        } catch (transport_error const&) {
            if (++refused == 100) { throw; }
        }
    }
}

[[gnu::cold]] inline void require_survival(engine const& e, lean_vector<rank_t> const& survivors) {
    auto const missing = [&] {
        rank_t r = 0;
        while (std::binary_search(survivors.begin(), survivors.end(), r)) { ++r; }
        return r;
    };
    if (!may_go_on(survivors, e.size())) {
        throw peer_lost_error(
            text_of("rank ", e.rank(), ", shrink: rank ", list_of(survivors), " of ", e.size(),
                    " can go on; it takes more than half of them, or half with rank 0"),
            missing());
    }
    if (!std::binary_search(survivors.begin(), survivors.end(), e.rank())) {
        throw peer_lost_error(text_of("rank ", e.rank(), ", shrink: rank ", list_of(survivors),
                                      " went on without this rank, which came too late"),
                              e.rank());
    }
}

/// Throws, before anything has happened, where `core` cannot go on.
[[gnu::cold]] inline void require_successor(communicator_core& core) {
    auto& e = core.engine();
    auto const refuse = [&](char const* why) {
        return text_of("rank ", e.rank(), ", shrink: ", why);
    };
    if (!e.carrier().can_renew()) {
        throw transport_error(refuse("this transport cannot go on after a loss"));
    }
    if (generation_of(e.context()) == generation_of(generation_bits)) {
        throw transport_error(refuse("its ranks have gone on 7 times already"));
    }
    if (!core.may_shrink()) {
        throw usage_error(refuse("the survivors of this communicator have gone on already"));
    }
}

[[gnu::cold]] inline shared_pointer<communicator_core> go_on(communicator_core& core,
                                                             timeout time) {
    auto& e = core.engine();
    require_successor(core);
    if (!e.stopped()) {
        e.break_by(
            failure::make(failure_kind::aborted, text_of("rank ", e.rank(), " has called shrink")));
    }
    auto survivors = agree_on_survivors(e, time);
    require_survival(e, survivors);
    auto const me = static_cast<rank_t>(survivors.index_of(e.rank()));
    for (auto& r : survivors) { r = e.group().job_rank(r); }
    auto next = e.carrier().renew(
        e.board(), {e.context(), survivors, time.deadline(steady::now()), *e.shared()->work->lock});
    auto generation = generation_of(e.context()) + 1;
    if (!next.same_ranks) {
        survivors = numbers_below(survivors.size());
        generation = 0;  // nothing of the failed calls reaches a new transport
    }
    auto shared = next.carrier
                      ? make_shared_object<rank_progress>(std::move(next.carrier), e.shared()->work)
                      : e.shared();
    return make_shared_object<communicator_core>(
        std::move(shared), std::move(next.board), rank_group(std::move(survivors), me),
        with_generation(mix(e.context(), hash_text("survivors")), generation),
        core.planner().model());
}

}  // namespace detail

COLLECTIVES_INLINE communicator communicator::shrink(options const& how) {
    auto const lock = core_->engine().lock();
    return communicator(detail::go_on(*core_, how.timeout));
}

}  // namespace collectives
