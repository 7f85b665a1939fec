// SPDX-License-Identifier: BSD-3-Clause
// How ranks that share memory agree on who goes on after a loss.
#pragma once

#include <collectives/core/function_ref.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/types.hpp>
#include <collectives/transport/shared/board.hpp>

namespace collectives::inline v0::shared {

/// One turn of this rank: whether the survivors are known, and who they are, ascending. Each rank's
/// attendance is decided once: by the rank itself, which is present, or by a peer for which
/// `lost(r)` holds. So all ranks find the same survivors. O(ranks).
[[gnu::cold]] inline bool agree_on_survivors(board const& broken, function_ref<bool(rank_t)> lost,
                                             lean_vector<rank_t>& survivors) {
    auto const decide = [&](rank_t r, attendance what) {
        auto open = attendance::undecided;
        return broken.attendance_of(r).compare_exchange_strong(open, what);
    };
    auto news = decide(broken.rank(), attendance::present);
    if (news) { broken.job().header().going_on.store(1); }
    survivors.clear();
    auto all_decided = true;
    for (rank_t r = 0; r < broken.size(); ++r) {
        auto const& its = broken.attendance_of(r);
        if (its.load() == attendance::undecided && lost(r)) {
            news = decide(r, attendance::left_out) || news;
        }
        auto const now = its.load();
        if (now == attendance::undecided) { all_decided = false; }
        if (now == attendance::present) { survivors.push_back(r); }
    }
    if (news) { broken.wake_others(); }
    return all_decided;
}

}  // namespace collectives::shared
