// SPDX-License-Identifier: BSD-3-Clause
// Which results of a plan nobody reads again before the run ends: they may go past the caches.
#pragma once

#include <collectives/core/deferred.hpp>
#include <collectives/executor/plan.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace collectives {

/// Marks the folds and received copies whose results, in the output, are neither sent nor copied
/// nor added to later. O(steps^2) at worst.
template <class X = void>  // compiled only where a collective is called
void note_what_rests(deferred<plan, X>& p) {
    auto const for_each = [](auto& all, auto which, auto&& each) {
        for (int i = which.first; i < which.last; ++i) { each(all[static_cast<std::size_t>(i)]); }
    };
    deferred<std::vector<std::pair<place, std::size_t>>, X> read;  // by later rounds, in the output
    auto const note = [&](place at, std::size_t bytes) {
        if (at.where == base::output) { read.emplace_back(at, bytes); }
    };
    auto const rests = [&](place at, std::size_t bytes) {
        return at.where == base::output &&
               std::none_of(read.begin(), read.end(), [&](auto const& one) {
                   return overlap(one.first, one.second, at, bytes);
               });
    };
    for (auto r = p.rounds.rbegin(); r != p.rounds.rend(); ++r) {
        for_each(p.folds, r->folds, [&](fold& f) { f.rests = rests(f.to, f.bytes); });
        for_each(p.receives, r->receives, [&](transfer& t) {
            t.rests = t.action == verb::recv_copy && rests(t.at, t.bytes);
        });
        for_each(p.folds, r->folds, [&](fold& f) { note(f.own, f.bytes); });
        for_each(p.sends, r->sends, [&](transfer& t) { note(t.at, t.bytes); });
        for_each(p.copies, r->gathers, [&](copy& c) { note(c.from, c.bytes); });
    }
}

}  // namespace collectives
