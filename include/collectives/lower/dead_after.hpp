// SPDX-License-Identifier: BSD-3-Clause
// What becomes of the results of a plan: which are copied while they are made, and which nobody
// reads again before the run ends, so that they may go past the caches.
#pragma once

#include <collectives/lower/bound.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace collectives::inline v0::lowering {

/// Has the one of these folds whose result is copied by `c` write the copy, if there is one: so no
/// cache must hold the result until then. Nothing that is needed may lie at c.to when it folds.
inline bool stage_at_once(bound_schedule& p, plans::index_range made, bound_copy const& c) {
    for (auto i = made.first; i < made.last; ++i) {
        auto& f = p.folds[static_cast<std::size_t>(i)];
        if (f.stages || f.to != c.from || f.bytes != c.bytes) { continue; }
        f.stages = true;
        f.staged = c.to;
        return true;
    }
    return false;
}

/// Marks the folds and received copies whose results, in the output, are neither sent nor copied
/// nor added to later. O(steps^2) at worst.
[[gnu::cold]] inline void note_dead_results(bound_schedule& p) {
    auto const for_each = [](auto& all, auto which, auto&& each) {
        for (int i = which.first; i < which.last; ++i) { each(all[static_cast<std::size_t>(i)]); }
    };
    std::vector<std::pair<place, std::size_t>> read;  // by later rounds, in the output
    auto const note = [&](place at, std::size_t bytes) {
        if (at.where == memory::output) { read.emplace_back(at, bytes); }
    };
    auto const is_dead = [&](place at, std::size_t bytes) {
        return at.where == memory::output &&
               std::none_of(read.begin(), read.end(), [&](auto const& one) {
                   return overlap(one.first, one.second, at, bytes);
               });
    };
    for (auto r = p.rounds.rbegin(); r != p.rounds.rend(); ++r) {
        for_each(p.folds, r->folds, [&](bound_fold& f) { f.dead_after = is_dead(f.to, f.bytes); });
        for_each(p.receives, r->receives, [&](bound_transfer& t) {
            t.dead_after = t.action == verb::recv_copy && is_dead(t.at, t.bytes);
        });
        for_each(p.folds, r->folds, [&](bound_fold& f) { note(f.own, f.bytes); });
        for_each(p.sends, r->sends, [&](bound_transfer& t) { note(t.at, t.bytes); });
        for_each(p.copies, r->gathers, [&](bound_copy& c) { note(c.from, c.bytes); });
    }
}

}  // namespace collectives::lowering
