// SPDX-License-Identifier: BSD-3-Clause
// What the SVG shows and where: which rounds, and how large their cells are.
#pragma once

#include "report.hpp"
#include "simulation.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace coll_show {

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

/// Width of the bubble on an arrow for that many characters.
inline double number_width(std::size_t characters) {
    return 8 + 6.2 * static_cast<double>(characters);
}

/// In a round of more transfers the arrows have no numbers.
inline constexpr std::size_t most_numbers = 20;

/// What a rank sends in a round, each part once, as `3` or `3, 6`.
std::string parts_sent(std::vector<transfer> const& all, coll::rank_t rank, int chunks);

picture_layout lay_out(report const& shown);

/// Which square a rank or chunk is drawn in.
inline int square_of(int index, int count, int squares) {
    return static_cast<int>(static_cast<long long>(index) * squares / count);
}

}  // namespace coll_show
