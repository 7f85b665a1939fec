// SPDX-License-Identifier: BSD-3-Clause
// Says in a sentence what happens in a round, by recognising how its senders and receivers relate.
#pragma once

#include <collectives/schedule/drawing/labels.hpp>
#include <collectives/schedule/drawing/pattern.hpp>
#include <collectives/schedule/drawing/replay.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace collectives::inline v0::drawing {

namespace sentence {

using round_type = std::vector<transfer>;

/// The ranks at one end of the transfers, out of `size` ranks.
inline rank_set ranks_at(rank_t transfer::*end, round_type const& round, int size) {
    rank_set result(size);
    for (auto const& t : round) { result.insert(t.*end); }
    return result;
}

inline std::string ranks(rank_set const& set, int size) {
    auto const text = label(set);
    if (set.count() == 1) { return "rank " + text; }
    if (set.count() == size) { return "all ranks"; }
    return text.size() > 24 ? filled("{} ranks", set.count()) : "ranks " + text;
}

/// Each sender has one transfer, and the same distance or mask leads to its receiver.
inline std::string regular(round_type const& round, int size) {
    auto const from = ranks_at(&transfer::from, round, size);
    auto const count = static_cast<std::size_t>(from.count());
    if (count != round.size() || count < 2) { return {}; }
    auto const distance = [size](transfer const& t) { return (t.to - t.from + size) % size; };
    auto const mask = [](transfer const& t) { return t.from ^ t.to; };
    auto const same = [&](auto f) {
        return std::all_of(round.begin(), round.end(),
                           [&](transfer const& t) { return f(t) == f(round.front()); });
    };
    bool const everyone = from.count() == size;
    bool const mutual = from == ranks_at(&transfer::to, round, size);
    if (same(mask) && mutual && size > 2) {
        return filled("{} in pairs i <-> i xor {}", everyone ? "all" : ranks(from, size),
                      mask(round.front()));
    }
    if (!same(distance)) { return {}; }
    int const d = distance(round.front());
    bool const wraps = std::any_of(round.begin(), round.end(), [&](transfer const& t) {
        return d <= size / 2 ? t.to < t.from : t.to > t.from;
    });
    // A short way back reads better than a long way round.
    auto const way = filled("i {} {}{}", d <= size / 2 ? "+" : "-", std::min(d, size - d),
                            wraps ? filled(" (mod {})", size) : std::string());
    if (everyone) { return "every rank i -> " + way; }
    auto const whom = ranks(from, size);
    bool const listed = whom.find("ranks ") == 0;
    return filled("rank i -> {} for {}", way, listed ? "i in " + whom.substr(6) : whom);
}

/// How many ranks each sender sends to, if that is the same for all; else 0.
inline int even_fan(round_type const& round) {
    std::map<int, int> sends;
    for (auto const& t : round) { ++sends[t.from]; }
    int const fan = sends.begin()->second;
    bool const even =
        std::all_of(sends.begin(), sends.end(), [fan](auto const& s) { return s.second == fan; });
    return even ? fan : 0;
}

/// Whether each rank that sends to another one also receives from it.
inline bool exchanges(round_type const& round) {
    std::set<std::pair<int, int>> pairs;
    for (auto const& t : round) { pairs.emplace(t.from, t.to); }
    return std::all_of(pairs.begin(), pairs.end(), [&](auto const& p) {
        return pairs.count({p.second, p.first}) != 0;
    });
}

inline std::string who(round_type const& round, int size) {
    if (auto text = regular(round, size); !text.empty()) { return text; }
    if (round.size() == 1) { return filled("rank {} -> rank {}", round[0].from, round[0].to); }
    auto const from = ranks_at(&transfer::from, round, size);
    auto const to = ranks_at(&transfer::to, round, size);
    if (static_cast<int>(round.size()) == size * (size - 1)) { return "every rank -> every other"; }
    int const fan = even_fan(round);
    if (exchanges(round) && fan == 1) { return ranks(from, size) + " in pairs"; }
    if (exchanges(round) && fan > 1) {
        return filled("{} each with {} others", ranks(from, size), fan);
    }
    if (from.count() == 1 || to.count() == 1) {
        return ranks(from, size) + " -> " + ranks(to, size);
    }
    return filled("{} transfers, {} -> {}", round.size(), ranks(from, size), ranks(to, size));
}

}  // namespace sentence

/// `every rank i -> i + 1 (mod 4), 1 chunk each, added`.
inline std::string describe(replay const& values, int number) {
    auto const& round = values.transfers(number);
    int const size = values.size();
    int const chunks = values.chunks();
    auto const part = part_of(values.what());
    if (round.empty()) { return "nothing moves"; }
    auto const by_count = [](transfer const& a, transfer const& b) {
        return a.received.count < b.received.count;
    };
    auto const [least, most] = std::minmax_element(round.begin(), round.end(), by_count);
    int const low = least->received.count;
    int const high = most->received.count;
    bool const whole = low == chunks;
    auto what = whole && chunks == 1 ? std::string("the whole vector")
                : whole              ? filled("all {}s", part)
                : low == high        ? filled("{} {}{}", low, part, low == 1 ? "" : "s")
                                     : filled("{} to {} {}s", low, high, part);
    if (round.size() > 1) { what += " each"; }
    auto const adding = std::count_if(round.begin(), round.end(), [](auto& t) { return t.adds; });
    auto const count = static_cast<std::ptrdiff_t>(round.size());
    auto const how = adding == count ? "added" : adding == 0 ? "copied" : "added or copied";
    return filled("{}: {}, {}", sentence::who(round, size), what, how);
}

}  // namespace collectives
