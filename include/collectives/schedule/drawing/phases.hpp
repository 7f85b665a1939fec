// SPDX-License-Identifier: BSD-3-Clause
// The phase that each round belongs to, by the name that books give it.
#pragma once

#include <collectives/schedule/drawing/picture_report.hpp>
#include <collectives/schedule/drawing/replay.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

namespace collectives::inline v0::drawing {

using phase_names = std::array<std::string_view, 2>;

/// The two phases, if the first one ends with the values that the replay holds now.
inline phase_names pair_of(replay const& now, collective what) {
    std::set<int> holders;
    for (int c = 0; c < now.chunks(); ++c) {
        int holder = -1;
        for (int r = 0; r < now.size(); ++r) {
            if (!now.complete(r, c)) { continue; }
            if (holder >= 0) { return {}; }
            holder = r;
        }
        if (holder < 0) { return {}; }
        holders.insert(holder);
    }
    if (what == collective::reduce) {
        return holders.size() > 1 ? phase_names{"reduce-scatter", "gather"} : phase_names{};
    }
    return holders.size() == 1 ? phase_names{"reduce", "broadcast"}
                               : phase_names{"reduce-scatter", "all-gather"};
}

/// A name for each round of an all_reduce or reduce, such as reduce-scatter and then all-gather, by
/// where the sums are complete when the first copy begins. Empty where that is neither one rank for
/// all chunks nor one for each, and for rounds that add and copy. As phases() of
/// explorer/page/model.js.
inline std::vector<std::string_view> phases_of(report const& shown) {
    replay values(shown.schedules);
    std::vector<std::string_view> result(static_cast<std::size_t>(values.rounds()));
    bool const sums = shown.what == collective::all_reduce || shown.what == collective::reduce;
    auto const has = [&](int round, bool adds) {
        auto const& all = values.transfers(round);
        return std::any_of(all.begin(), all.end(), [&](auto const& t) { return t.adds == adds; });
    };
    auto const copies = [&](int round) { return has(round, false); };
    auto const adds = [&](int round) { return has(round, true); };
    int border = 0;  // the first round that copies
    while (border < values.rounds() && !copies(border)) { ++border; }
    if (!sums || border == 0 || border == values.rounds()) { return result; }
    while (values.round() < border - 1) { values.advance(); }
    auto const named = pair_of(values, shown.what);
    for (int r = 0; r < values.rounds(); ++r) {
        if (r < border && adds(r)) { result[static_cast<std::size_t>(r)] = named[0]; }
        if (r >= border && copies(r) && !adds(r)) {
            result[static_cast<std::size_t>(r)] = named[1];
        }
    }
    return result;
}

}  // namespace collectives
