// SPDX-License-Identifier: BSD-3-Clause
// A reduction whose whole vector goes to a neighbour first, taken in two: then there need not be
// room for more than half of it.
#pragma once

#include <collectives/schedule/schedule.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace collectives {

/// The rounds in which a rank sends or receives all chunks, where there are several.
inline std::vector<int> whole_rounds(std::vector<schedule> const& all) {
    std::vector<int> result;
    for (auto const& s : all) {
        for (auto const& step : s.steps) {
            if (s.chunks > 1 && step.chunks.count == s.chunks) { result.push_back(step.round); }
        }
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

/// The same reduction with each of these rounds made two: the lower half of the chunks, then the
/// upper half. What was correct stays so, since no chunk depends on another.
inline schedule in_halves(schedule s, std::vector<int> const& rounds) {
    if (rounds.empty()) { return s; }
    auto const middle = s.chunks / 2;
    auto const steps = std::exchange(s.steps, {});
    for (step const& whole : steps) {
        auto const found = std::lower_bound(rounds.begin(), rounds.end(), whole.round);
        auto part = whole;
        part.round += static_cast<int>(found - rounds.begin());
        if (found == rounds.end() || *found != whole.round) {
            s.steps.push_back(part);
            continue;
        }
        auto const lower = part.round;
        for (int k = 0; k < whole.chunks.count; ++k) {
            auto const c = (whole.chunks.first + k) % s.chunks;
            if (k == 0 || c == 0 || c == middle) {
                part.round = lower + (c < middle ? 0 : 1);
                part.chunks = {c, 0};
                s.steps.push_back(part);
            }
            ++s.steps.back().chunks.count;
        }
    }
    std::stable_sort(s.steps.begin(), s.steps.end(),
                     [](step const& a, step const& b) { return a.round < b.round; });
    s.rounds += static_cast<int>(rounds.size());
    return s;
}

}  // namespace collectives
