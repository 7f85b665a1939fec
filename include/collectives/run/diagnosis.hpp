// SPDX-License-Identifier: BSD-3-Clause
// Finds out why an activity does not end: a peer called something else, died or left, or has not
// come.
#pragma once

#include <collectives/core/failure.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/text.hpp>
#include <collectives/run/activity.hpp>
#include <collectives/run/group.hpp>
#include <collectives/run/wait_chain.hpp>
#include <collectives/transport/any_transport.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

namespace collectives::inline v0::detail {

[[gnu::cold]] inline std::string list_of(lean_vector<int> const& ranks) {
    std::string text;
    for (auto const r : ranks) { add_text(text, (text.empty() ? "" : ", "), r); }
    return text;
}

[[gnu::cold]] inline std::string how_it_went(peer_exit const& d) {
    if (d.lives) { return "has closed its connections"; }
    if (!d.died) { return "has left"; }
    return d.signal != 0 ? text_of("was ended by signal ", d.signal) : "has died";
}

/// How the calls of ranks low < high differ up to operation `sequence`: in the last operation that
/// both have entered, or in an earlier one that neither had to wait for. Empty if they do not
/// differ.
[[gnu::cold]] inline std::string difference_between(any_board const& board, rank_t low, rank_t high,
                                                    std::uint64_t sequence) {
    auto const last = std::min(sequence, std::min(board.entered(low), board.entered(high)));
    for (auto s = last; s > 0; --s) {
        auto const first = board.call_of(low, s), second = board.call_of(high, s);
        if (!first || !second) { break; }  // no longer remembered
        if (first->past != second->past) { continue; }
        auto difference = first->difference(*second, low, high);
        if (difference.empty() || s == sequence) { return difference; }
        return text_of("in ", first->title(), " before it, ", difference);
    }
    return {};
}

/// How a rank was lost, as its transport or the board says; empty if it was not.
[[gnu::cold]] inline std::optional<peer_exit> exit_of(any_board const& board,
                                                      any_transport const& t,
                                                      rank_group const& group, rank_t r) {
    if (board.has_left(r)) { return peer_exit{}; }
    return t.gone(group.job_rank(r));
}

/// A failure of the activity, but for its time.
[[gnu::cold]] inline failure failure_of(activity const& a, failure_kind kind,
                                        std::initializer_list<text_part> why, rank_t peer = -1) {
    auto text = a.call.title();
    add_text(text, ": ", joined(why));
    return failure::make(kind, text, peer);
}

/// The failure of a send or receive, if there is one.
[[gnu::cold]] inline std::optional<failure> diagnose_pair(any_board const& board,
                                                          any_transport const& t,
                                                          rank_group const& group,
                                                          activity const& a) {
    auto const peer = a.only_peer;
    if (a.mismatched) { return failure_of(a, failure_kind::mismatch, {a.mismatch_text}); }
    if (auto const went = detail::exit_of(board, t, group, peer)) {
        return failure_of(a, failure_kind::peer_lost,
                          {"rank ", peer, " ", detail::how_it_went(*went)}, peer);
    }
    if (steady::now() < a.deadline) { return {}; }
    std::string text = "time ran out; ";
    detail::add_wait_chain(text, board, group.rank(), a.where());
    return failure::make(failure_kind::timeout, text, -1, {&peer, 1});
}

/// The failure of an activity, if there is one. O(ranks). Allocates only if there is a failure.
[[gnu::cold]] inline std::optional<failure> diagnose(any_board const& board, any_transport const& t,
                                                     rank_group const& group, activity const& a) {
    if (a.only_peer >= 0) { return diagnose_pair(board, t, group, a); }
    auto const me = group.rank();
    auto const late = steady::now() >= a.deadline;
    lean_vector<int> missing, suspended;
    // Read this before comparing calls: a rank that publishes its call only afterwards has not
    // been compared.
    auto const not_published_yet =
        a.mismatched_rank >= 0 && board.entered(a.mismatched_rank) < a.call.sequence;
    for (rank_t r = 0; r < group.size(); ++r) {
        if (r == me) { continue; }
        auto const difference =
            detail::difference_between(board, std::min(r, me), std::max(r, me), a.call.sequence);
        if (!difference.empty()) { return failure_of(a, failure_kind::mismatch, {difference}); }
        auto const went = detail::exit_of(board, t, group, r);
        if (went && board.finished(r) < a.call.sequence) {
            auto const entered = board.entered(r) >= a.call.sequence;
            return failure_of(a, failure_kind::peer_lost,
                              {"rank ", r, " ", detail::how_it_went(*went),
                               entered ? " in the middle of it" : " without entering it"},
                              r);
        }
        if (!late) { continue; }
        if (board.entered(r) < a.call.sequence) { missing.push_back(r); }
        if (t.suspended(group.job_rank(r))) { suspended.push_back(r); }
    }
    if (a.mismatched && (!not_published_yet || late)) {
        return failure_of(a, failure_kind::mismatch, {a.mismatch_text});
    }
    if (!late) { return {}; }
    auto at = a.where();
    if (at.peer < 0 && !missing.empty()) { at.peer = missing.front(); }
    std::string text = "time ran out; ";
    detail::add_wait_chain(text, board, me, at);
    auto const* before = "; not entered by rank ";
    if (missing.empty()) {
        missing = suspended;
        before = suspended.empty() ? "; all ranks had entered it"
                                   : "; all ranks had entered it, but stopped: rank ";
    }
    add_text(text, before, detail::list_of(missing));
    return failure::make(failure_kind::timeout, text, -1, {missing.data(), missing.size()});
}

}  // namespace collectives::detail
