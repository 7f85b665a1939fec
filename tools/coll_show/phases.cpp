// SPDX-License-Identifier: BSD-3-Clause
#include "phases.hpp"

#include "simulation.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace coll_show {

namespace {

using names = std::array<std::string_view, 2>;

/// The two phases, if the first one ends with the values that the simulation holds now.
names pair_of(simulation const& now, coll::collective what) {
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
    if (what == coll::collective::reduce) {
        return holders.size() > 1 ? names{"reduce-scatter", "gather"} : names{};
    }
    return holders.size() == 1 ? names{"reduce", "broadcast"}
                               : names{"reduce-scatter", "all-gather"};
}

}  // namespace

std::vector<std::string_view> phases_of(report const& shown) {
    simulation sim(shown.schedules);
    std::vector<std::string_view> result(static_cast<std::size_t>(sim.rounds()));
    bool const sums =
        shown.what == coll::collective::all_reduce || shown.what == coll::collective::reduce;
    auto const copies = [&](int round) {
        auto const& all = sim.transfers(round);
        return std::any_of(all.begin(), all.end(), [](auto const& t) { return !t.adds; });
    };
    auto const adds = [&](int round) {
        auto const& all = sim.transfers(round);
        return std::any_of(all.begin(), all.end(), [](auto const& t) { return t.adds; });
    };
    int border = 0;  // the first round that copies
    while (border < sim.rounds() && !copies(border)) { ++border; }
    if (!sums || border == 0 || border == sim.rounds()) { return result; }
    while (sim.round() < border - 1) { sim.advance(); }
    auto const named = pair_of(sim, shown.what);
    for (int r = 0; r < sim.rounds(); ++r) {
        if (r < border && adds(r)) { result[static_cast<std::size_t>(r)] = named[0]; }
        if (r >= border && copies(r) && !adds(r)) {
            result[static_cast<std::size_t>(r)] = named[1];
        }
    }
    return result;
}

}  // namespace coll_show
