// SPDX-License-Identifier: BSD-3-Clause
// Chooses the rounds and the sizes of the SVG.
#include "picture.hpp"

#include "describe.hpp"
#include "phases.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

namespace coll_show {

namespace {

constexpr int most_squares = 64;
constexpr int most_grids = 24;            // all of a ring of 8 or a star of 12
constexpr int most_grids_large = 12;      // where a grid has more than 8 x 8 cells
constexpr double line_width = 1200;       // so that a page of text shows it readably
constexpr double wide_line_width = 1560;  // where that holds one grid alone

/// Room for the numbers on the arrows.
double widest_number(report const& shown) {
    std::size_t widest = 1;
    simulation const sim(shown.schedules);
    for (int r = 0; r < sim.rounds(); ++r) {
        auto const& all = sim.transfers(r);
        if (all.size() > most_numbers) { continue; }
        for (auto const& t : all) {
            widest = std::max(widest, parts_sent(all, t.from, sim.chunks()).size());
        }
    }
    return number_width(widest);
}

/// The widest text a cell will hold, in characters.
std::size_t widest_label(report const& shown) {
    simulation sim(shown.schedules);
    std::size_t widest = 1;
    while (true) {
        for (int r = 0; r < sim.size(); ++r) {
            for (int c = 0; c < sim.chunks(); ++c) {
                widest = std::max(widest, label(sim.at(r, c).held).size());
            }
        }
        if (sim.round() + 1 == sim.rounds()) { return widest; }
        sim.advance();
    }
}

/// The start and the first two rounds, whose arrows tell most; then rounds evenly up to the last.
std::vector<int> spread(int rounds, int most) {
    std::vector<int> result;
    if (rounds < most) {
        for (int r = -1; r < rounds; ++r) { result.push_back(r); }
        return result;
    }
    for (int i = 0; i < 3; ++i) { result.push_back(i - 1); }
    for (int i = 1; i <= most - 3; ++i) {
        auto const way = static_cast<double>(i) / (most - 3);
        result.push_back(1 + static_cast<int>(std::lround(way * (rounds - 2))));
    }
    return result;
}

/// Puts the last round of the first phase in the place of the drawn round that is nearest to it,
/// but neither of the first three nor of the last.
void show_border(std::vector<int>& rounds, std::vector<std::string_view> const& phases) {
    auto const second = std::ranges::adjacent_find(phases, std::ranges::not_equal_to{});
    if (second == phases.end() || rounds.size() < 5) { return; }
    auto const border = static_cast<int>(second - phases.begin());
    if (std::ranges::count(rounds, border) != 0) { return; }
    *std::ranges::min_element(rounds.begin() + 3, rounds.end() - 1, {},
                              [&](int round) { return std::abs(round - border); }) = border;
}

}  // namespace

std::string parts_sent(std::vector<transfer> const& all, coll::rank_t rank, int chunks) {
    std::string parts;
    std::vector<std::string> seen;
    for (auto const& t : all) {
        auto const one = label(t.received, chunks);
        if (t.from != rank || std::ranges::count(seen, one) != 0) { continue; }
        parts += (seen.empty() ? "" : ", ") + one;
        seen.push_back(one);
    }
    return parts;
}

picture_layout lay_out(report const& shown) {
    picture_layout at;
    int const chunks = shown.schedules[0].chunks;
    at.rows = std::min(shown.size, most_squares);
    at.columns = std::min(chunks, most_squares);
    at.labels = shown.size <= 16;
    bool const small = chunks == 1 || (shown.size <= 8 && chunks <= 8);
    at.rounds = spread(shown.cost.rounds, small ? most_grids : most_grids_large);
    if (static_cast<int>(at.rounds.size()) <= shown.cost.rounds) {
        show_border(at.rounds, phases_of(shown));
    }
    if (at.labels) {
        at.longest_label = small ? 9 : 4;
        auto const text =
            6.6 * static_cast<double>(std::min(widest_label(shown), at.longest_label));
        at.cell_width = std::max(chunks == 1 ? 84.0 : small ? 44.0 : 32.0, text + 12);
        at.cell_height = shown.size <= 8 ? 36 : 26;
    } else {
        double const side = std::clamp(320.0 / std::max(at.rows, at.columns), 4.0, 16.0);
        at.cell_width = at.columns == 1 ? 48 : side;
        at.cell_height = side;
        at.gutter = 56;
    }
    if (at.labels && chunks > 1) { at.gutter = 74 + widest_number(shown); }
    double const each = at.grid_width() + at.gutter;
    auto const fit = [each](double width) { return static_cast<int>((width - 90) / each); };
    at.per_line = std::max({1, fit(line_width), std::min(2, fit(wide_line_width))});
    auto const grids = static_cast<int>(at.rounds.size());
    int const lines = (grids + at.per_line - 1) / at.per_line;
    at.per_line = (grids + lines - 1) / lines;  // as equal as they can be
    return at;
}

}  // namespace coll_show
