// SPDX-License-Identifier: BSD-3-Clause
// Finds the results that can be copied in the pass that makes them, and those that nobody reads
// again before the run ends. The latter may go past the caches.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/lower/bound.hpp>

#include <cstddef>

namespace collectives::inline v0::lowering {

/// Lets the reduction that makes the source of `c` write the copy as well, if there is such a
/// reduction. Then no cache must hold the result until the copy. Nothing needed may be at c.to at
/// that time.
inline bool stage_at_once(bound_schedule& p, plans::index_range made, bound_copy const& c) {
    for (auto i = made.first; i < made.last; ++i) {
        auto& f = p.reductions[static_cast<std::size_t>(i)];
        if (f.stages || f.to != c.from || f.bytes != c.bytes) { continue; }
        f.stages = true;
        f.staged = c.to;
        return true;
    }
    return false;
}

/// Marks the reductions and received copies whose results, in the output, are not sent, copied or
/// added later. O(steps^2) at worst.
[[gnu::cold]] inline void note_dead_results(bound_schedule& p) {
    auto const for_each = [](auto& all, auto which, auto&& each) {
        for (int i = which.first; i < which.last; ++i) { each(all[static_cast<std::size_t>(i)]); }
    };
    struct range {
        place at;
        std::size_t bytes;
    };
    lean_vector<range> read;  // by later rounds, in the output
    auto const note = [&](place at, std::size_t bytes) {
        if (at.where == memory::output) { read.push_back({at, bytes}); }
    };
    auto const is_dead = [&](place at, std::size_t bytes) {
        if (at.where != memory::output) { return false; }
        for (auto const& [where, length] : read) {
            if (overlap(where, length, at, bytes)) { return false; }
        }
        return true;
    };
    for (auto const& c : p.epilogue) { note(c.from, c.bytes); }
    for (auto r = p.rounds.end(); r != p.rounds.begin();) {
        --r;
        for_each(p.reductions, r->reductions,
                 [&](bound_reduction& f) { f.dead_after = is_dead(f.to, f.bytes); });
        for_each(p.receives, r->receives, [&](bound_transfer& t) {
            t.dead_after = t.action == verb::recv_copy && is_dead(t.at, t.bytes);
        });
        for_each(p.reductions, r->reductions, [&](bound_reduction& f) { note(f.own, f.bytes); });
        for_each(p.sends, r->sends, [&](bound_transfer& t) { note(t.at, t.bytes); });
        for_each(p.copies, r->gathers, [&](bound_copy& c) { note(c.from, c.bytes); });
    }
}

}  // namespace collectives::lowering
