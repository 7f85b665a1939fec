// SPDX-License-Identifier: BSD-3-Clause
// What concerns two ranks alone, beside a send and a receive.
#pragma once

#include <collectives/communicator/core.hpp>
#include <collectives/communicator/device_calls.hpp>
#include <collectives/communicator/pending.hpp>
#include <collectives/communicator/request_maker.hpp>
#include <collectives/core/failure.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/run/diagnosis.hpp>
#include <collectives/run/engine.hpp>
#include <collectives/run/pair_message.hpp>
#include <collectives/run/wait_report.hpp>

#include <sched.h>

#include <cstddef>
#include <optional>

namespace collectives::inline v0::detail {

/// The checks of send_recv.
[[gnu::cold]] inline void check_send_recv(engine& e, memory_span out, rank_t to, memory_span in,
                                          rank_t from, options const& how) {
    auto const lock = e.lock();
    request_maker const checks(e.rank(), e.size(), e.calls);
    e.require_usable(collective::send);
    checks.require_rank(to, collective::send, "peer");
    checks.require_rank(from, collective::recv, "peer");
    checks.require(overlap_of(out, in, 0) == overlap::none, collective::send,
                   "what send_recv sends and receives must not overlap");
    if (e.space().device() != nullptr) { follow_stream(e, collective::send, how.stream, out, in); }
}

/// Sends `out` to one rank and receives `in` from another, or the same, at once.
inline void send_recv(core_pointer const& core, element_type sent, memory_span out, rank_t to,
                      element_type received, writable_memory in, rank_t from, int tag,
                      options const& how) {
    check_send_recv(core->engine(), out, to, in, from, how);  // before anything is posted
    core->run_pairs({collective::recv, received, in, from, tag, how},
                    {collective::send, sent, out, to, tag, how});
}

/// The bytes of the next message of a rank under a tag, if one waits here. Throws what a
/// receive would throw where none can come any more.
inline std::optional<std::size_t> probe(engine& e, rank_t from, int tag) {
    auto const lock = e.lock();
    request_maker const checks(e.rank(), e.size(), e.calls);
    e.require_usable(collective::recv);
    checks.require_rank(from, collective::recv, "peer");
    auto const look = [&] {
        e.shared()->progress();
        return e.carrier().probe(e.group().job_rank(from), pair_tag(e.context(), tag));
    };
    try {
        auto waits = look();
        if (waits) { return waits; }
        e.board().watch(from);  // so that it says when it leaves
        auto const went = exit_of(e.board(), e.carrier(), e.group(), from);
        // What it sent before it went may still be on its way.
        for (auto const until = steady::now() + look_interval;
             went && !waits && steady::now() < until;) {
            ::sched_yield();
            waits = look();
        }
        if (!went || waits) { return waits; }
        e.break_by(failure::make(failure_kind::peer_lost,
                                 text_of("probe: rank ", from, " ", how_it_went(*went)), from));
    } catch (usage_error const& fault) {
        checks.refuse(collective::recv, fault.what());
    } catch (transport_error const&) { e.break_by_exception(name_of{collective::recv}); }
    e.require_usable(collective::recv);
    return {};
}

}  // namespace collectives::detail
