// SPDX-License-Identifier: BSD-3-Clause
// The form of schedules: what can be checked for each step alone, before anything is run.
#pragma once

#include <collectives/core/list_view.hpp>
#include <collectives/schedule/proof.hpp>
#include <collectives/schedule/schedule.hpp>

#include <cstddef>
#include <string_view>

namespace collectives::inline v0::detail {

/// Why a step of rank `own.rank` after a step of round `previous` is malformed; else empty.
constexpr std::string_view fault_of(step const& s, schedule const& own, int previous) {
    if (s.round < previous) { return "the rounds do not ascend"; }
    if (s.round >= own.rounds) { return "there is no such round"; }
    if (s.peer < 0 || s.peer >= own.size) { return "there is no such peer"; }
    if (s.peer == own.rank) { return "a rank talks to itself"; }
    if (s.chunks.first < 0 || s.chunks.first >= own.chunks || s.chunks.count < 1 ||
        s.chunks.count > own.chunks) {
        return "there are no such chunks";
    }
    if (s.what == verb::recv_reduce && !reduces(own.what)) {
        return "a collective that only moves blocks adds";
    }
    return {};
}

/// Whether these are the schedules of all ranks of one collective, each step possible by itself.
constexpr proof form_of(list_view<schedule const> ranks) {
    if (ranks.empty() || ranks[0].chunks < 1) { return {false, "there are no ranks or no chunks"}; }
    schedule const& first = ranks[0];
    auto const size = static_cast<int>(ranks.size());
    if (first.root < 0 || first.root >= size) { return {false, "there is no such root"}; }
    for (rank_t r = 0; r < size; ++r) {
        schedule const& own = ranks[static_cast<std::size_t>(r)];
        if (own.rank != r || own.size != size || own.what != first.what || own.root != first.root ||
            own.chunks != first.chunks || own.rounds != first.rounds) {
            return {false, "the schedules do not belong together", r};
        }
        if (own.what > collective::barrier) { return {false, "it has no schedule", r}; }
        // The checker's slots hold one block per rank wherever the result has blocks.
        if (has_blocks(own.what) && own.chunks != size) {
            return {false, "there must be one block per rank", r};
        }
        int previous = 0;
        for (step const& s : own.steps) {
            auto const fault = fault_of(s, own, previous);
            if (!fault.empty()) { return {false, fault, r, s.round, s.chunks.first}; }
            previous = s.round;
        }
    }
    return {true, "well formed"};
}

}  // namespace collectives::detail
