// SPDX-License-Identifier: BSD-3-Clause
// What the SVG shows and where: which rounds, and how large their cells are.
#pragma once

#include <collectives/schedule/drawing/labels.hpp>
#include <collectives/schedule/drawing/phases.hpp>
#include <collectives/schedule/drawing/picture_report.hpp>
#include <collectives/schedule/drawing/replay.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace collectives::inline v0::drawing {

/// Everything is in pixels. Of many ranks or chunks several share a square; then there is no text.
struct picture_layout {
    std::vector<int> rounds;  ///< drawn rounds, ascending; -1 is the start
    int rows = 1;             ///< squares from top to bottom: ranks, or groups of them
    int columns = 1;          ///< squares from left to right: chunks, or groups of them
    double cell_width = 52;
    double cell_height = 36;
    double gutter = 92;             ///< before each grid, for the arrows
    int per_line = 1;               ///< grids in a line
    bool labels = true;             ///< cells are large enough for text
    std::size_t longest_label = 9;  ///< characters; in place of longer ones stands the count

    double grid_width() const { return columns * cell_width; }
    double grid_height() const { return rows * cell_height; }
};

/// Which square a rank or chunk is drawn in.
inline int square_of(int index, int count, int squares) {
    return static_cast<int>(static_cast<long long>(index) * squares / count);
}

inline constexpr int most_squares = 64;
inline constexpr int most_grids = 24;            // all of a ring of 8 or a star of 12
inline constexpr int most_grids_large = 12;      // where a grid has more than 8 x 8 cells
inline constexpr double line_width = 1200;       // so that a page of text shows it readably
inline constexpr double wide_line_width = 1560;  // where that holds one grid alone

/// Width of the bubble on an arrow for that many characters.
inline double number_width(std::size_t characters) {
    return 8 + 6.2 * static_cast<double>(characters);
}

/// In a round of more transfers the arrows have no numbers.
inline constexpr std::size_t most_numbers = 20;

/// The parts that a rank sends in a round, each named once: `3` or `3, 6`.
inline std::string parts_sent(std::vector<transfer> const& all, rank_t rank, int chunks) {
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

/// Room for the numbers on the arrows.
inline double widest_number(report const& shown) {
    std::size_t widest = 1;
    replay const values(shown.schedules);
    for (int r = 0; r < values.rounds(); ++r) {
        auto const& all = values.transfers(r);
        if (all.size() > most_numbers) { continue; }
        for (auto const& t : all) {
            widest = std::max(widest, parts_sent(all, t.from, values.chunks()).size());
        }
    }
    return number_width(widest);
}

/// The widest text a cell will hold, in characters.
inline std::size_t widest_label(report const& shown) {
    replay values(shown.schedules);
    std::size_t widest = 1;
    while (true) {
        for (int r = 0; r < values.size(); ++r) {
            for (int c = 0; c < values.chunks(); ++c) {
                widest = std::max(widest, label(values.at(r, c).held).size());
            }
        }
        if (values.round() + 1 == values.rounds()) { return widest; }
        values.advance();
    }
}

/// The start and the first two rounds, whose arrows tell most; then rounds evenly up to the last.
inline std::vector<int> drawn_rounds(int rounds, int most) {
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
inline void show_border(std::vector<int>& rounds, std::vector<std::string_view> const& phases) {
    auto const second = std::ranges::adjacent_find(phases, std::ranges::not_equal_to{});
    if (second == phases.end() || rounds.size() < 5) { return; }
    auto const border = static_cast<int>(second - phases.begin());
    if (std::ranges::count(rounds, border) != 0) { return; }
    *std::ranges::min_element(rounds.begin() + 3, rounds.end() - 1, {},
                              [&](int round) { return std::abs(round - border); }) = border;
}

inline picture_layout lay_out(report const& shown) {
    picture_layout at;
    int const chunks = shown.schedules[0].chunks;
    at.rows = std::min(shown.size, most_squares);
    at.columns = std::min(chunks, most_squares);
    at.labels = shown.size <= 16;
    bool const small = chunks == 1 || (shown.size <= 8 && chunks <= 8);
    at.rounds = drawn_rounds(shown.cost.rounds, small ? most_grids : most_grids_large);
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

}  // namespace collectives
