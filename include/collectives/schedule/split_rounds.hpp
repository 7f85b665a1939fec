// SPDX-License-Identifier: BSD-3-Clause
// Cuts a round that sends the whole vector to a neighbour into two, so that scratch for half of the
// vector is enough.
#pragma once

#include <collectives/core/lean_list.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/schedule/schedule.hpp>

#include <cstddef>
#include <utility>

namespace collectives::inline v0::detail {

/// The first of these rounds that is `round` or a later one, or their end.
[[gnu::cold]] inline int const* first_not_before(lean_vector<int> const& rounds, int round) {
    auto const* at = rounds.begin();
    while (at != rounds.end() && *at < round) { ++at; }
    return at;
}

/// The rounds in which a rank sends or receives all chunks, where there are several; ascending.
[[gnu::cold]] inline lean_vector<int> whole_rounds(lean_list<schedule> const& all) {
    lean_vector<int> result;
    for (auto const& s : all) {
        for (auto const& step : s.steps) {
            if (s.chunks == 1 || step.chunks.count != s.chunks) { continue; }
            auto const* const at = first_not_before(result, step.round);
            if (at == result.end() || *at != step.round) { result.insert(at, step.round); }
        }
    }
    return result;
}

/// Cuts each of these rounds of a reduction in two: the lower half of the chunks, then the upper
/// half. A correct schedule stays correct, because no chunk depends on another.
[[gnu::cold]] inline void cut_in_halves(schedule& s, lean_vector<int> const& rounds) {
    if (rounds.empty()) { return; }
    auto const middle = s.chunks / 2;
    auto const steps = std::move(s.steps);
    s.steps.clear();
    lean_list<step> upper;  // halves of the round under way
    for (std::size_t i = 0; i < steps.size(); ++i) {
        auto const& whole = steps[i];
        auto const* const found = first_not_before(rounds, whole.round);
        auto part = whole;
        part.round += static_cast<int>(found - rounds.begin());
        if (found == rounds.end() || *found != whole.round) {
            s.steps.push_back(part);
            continue;
        }
        for (int k = 0; k < whole.chunks.count; ++k) {
            auto const c = (whole.chunks.first + k) % s.chunks;
            auto& half = c < middle ? s.steps : upper;
            if (k == 0 || c == 0 || c == middle) {
                step const begun{part.round + (c < middle ? 0 : 1), part.what, part.peer, {c, 0}};
                half.push_back(begun);
            }
            ++half.back().chunks.count;
        }
        if (i + 1 == steps.size() || steps[i + 1].round != whole.round) {
            for (auto const& each : upper) { s.steps.push_back(each); }
            upper.clear();
        }
    }
    s.rounds += static_cast<int>(rounds.size());
}

}  // namespace collectives::detail
