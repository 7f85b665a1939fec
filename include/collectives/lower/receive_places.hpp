// SPDX-License-Identifier: BSD-3-Clause
// Chooses where a message that is to be reduced is received.
#pragma once

#include <collectives/lower/bound.hpp>

#include <algorithm>
#include <cstddef>

namespace collectives::inline v0::lowering {

/// Decides for each reduced receive of the latest round whether it is consumed as it comes, is
/// received in the place of the result, or needs a place of its own, from `temporary(bytes)`.
/// `sent_now(place, bytes)`: whether the round sends what is there.
template <class SentNow, class Temporary>
[[gnu::cold]] void settle_receives(bound_schedule& p, bound_round const& round, bool consumes,
                                   SentNow&& sent_now, Temporary&& temporary) {
    for (auto r = static_cast<std::size_t>(round.receives.first); r < p.receives.size(); ++r) {
        auto& t = p.receives[r];
        if (t.action != verb::recv_reduce) { continue; }
        auto alone = true, untouched = true;
        t.first_reduction = static_cast<int>(p.reductions.size());
        for (auto f = static_cast<std::size_t>(round.reductions.first); f < p.reductions.size();
             ++f) {
            auto const& reduction = p.reductions[f];
            for (int k = 0; k < reduction.sources; ++k) {
                auto const& s = p.sources[static_cast<std::size_t>(reduction.first_source + k)];
                if (s.transfer != static_cast<int>(r)) { continue; }
                t.first_reduction = std::min(t.first_reduction, static_cast<int>(f));
                ++t.reductions;
                alone = alone && reduction.sources == 2;
                untouched = untouched && !sent_now(reduction.to, reduction.bytes);
            }
        }
        auto const& reduction = p.reductions[static_cast<std::size_t>(t.first_reduction)];
        t.consumable = consumes && alone && untouched;
        if (t.consumable) { continue; }
        t.at = alone && untouched && t.reductions == 1 && reduction.to != reduction.own
                   ? reduction.to
                   : temporary(t.bytes);
    }
}

}  // namespace collectives::lowering
