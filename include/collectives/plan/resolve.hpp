// SPDX-License-Identifier: BSD-3-Clause
// From symbols to places: what a plan's names for its peers' memory mean once the peers have
// announced their protocols. The back ends and check_plan call this.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/plan/plan.hpp>

#include <cstddef>

namespace collectives::inline v0::plans {

/// What a peer has announced, and what it offers under that announcement (lower/lower.hpp:
/// offers_of).
struct peer_view {
    announcement shown{};
    lean_vector<offer> offers;
};

/// The offer of that number to rank `me`; null if there is none.
inline offer const* find_offer(lean_vector<offer> const& all, rank_t me, int number) {
    for (auto const& one : all) {
        if (one.to == me && number-- == 0) { return &one; }
    }
    return nullptr;
}

/// Where a peer's place really is. `peers[r]` is rank r. An offer that does not exist stays an
/// offer, which nobody can read.
[[gnu::cold]] inline place resolve(place p, rank_t me, lean_vector<peer_view> const& peers) {
    if (p.where != memory::offer) { return p; }
    if (p.peer < 0 || static_cast<std::size_t>(p.peer) >= peers.size()) { return p; }
    auto const* const found =
        find_offer(peers[static_cast<std::size_t>(p.peer)].offers, me, p.number);
    if (found == nullptr) { return p; }
    return {found->at.where, p.peer, 0, found->at.offset + p.offset};
}

/// Whether other ranks write the output of the peer of this place.
inline bool takes_results(place const& p, lean_vector<peer_view> const& peers) {
    return p.peer >= 0 && static_cast<std::size_t>(p.peer) < peers.size() &&
           peers[static_cast<std::size_t>(p.peer)].shown.takes_results;
}

/// Whether a rank drops a half of a shared copy, by what the peer has announced.
constexpr bool drops_shared(instruction const& i, announcement const& its) {
    return its.shares_copies == (i.when == condition::unless_peer_shares);
}

/// Whether the announced protocols drop an instruction of rank `me`. They never drop the waits of
/// the window (condition::unless_all_came).
inline bool is_dropped(instruction const& i, lean_vector<peer_view> const& peers) {
    if (is_shared(i)) {
        auto const known = i.peer >= 0 && static_cast<std::size_t>(i.peer) < peers.size();
        return known && drops_shared(i, peers[static_cast<std::size_t>(i.peer)].shown);
    }
    return i.when == condition::unless_peer_takes_results &&
           takes_results({memory::output, i.peer, 0, 0}, peers);
}

/// Whether the announced protocols drop destination number `k` of an instruction of rank `me`.
inline bool is_dropped(instruction const& i, int k, place const& to, rank_t me,
                       lean_vector<peer_view> const& peers) {
    if (to.peer >= 0) { return !is_shared(i) && !takes_results(to, peers); }
    if (i.when != condition::unless_all_take_results || k != 1) { return false; }
    for (std::size_t r = 0; r < peers.size(); ++r) {
        if (static_cast<rank_t>(r) != me && !peers[r].shown.takes_results) { return false; }
    }
    return true;
}

/// The plan with all symbols resolved. Instructions keep their positions: a dropped one becomes a
/// copy of no bytes.
[[gnu::cold]] inline plan resolve(plan const& mine, lean_vector<peer_view> const& peers) {
    plan result = mine;
    result.destinations.clear();
    for (auto& p : result.sources) { p = resolve(p, mine.rank, peers); }
    for (auto& i : result.program) {
        if (is_dropped(i, peers)) {
            auto const round = i.round;
            i = {};
            i.round = round;
            continue;
        }
        auto const old = i.destinations;
        i.destinations.first = static_cast<int>(result.destinations.size());
        for (int k = old.first; k < old.last; ++k) {
            auto const& d = mine.destinations[static_cast<std::size_t>(k)];
            if (!is_dropped(i, k - old.first, d.to, mine.rank, peers)) {
                result.destinations.push_back(d);
            }
        }
        i.destinations.last = static_cast<int>(result.destinations.size());
    }
    return result;
}

}  // namespace collectives::plans
