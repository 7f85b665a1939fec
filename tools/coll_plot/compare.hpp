// SPDX-License-Identifier: BSD-3-Clause
// Holds results against those of another day. Times cannot be compared across days and machines, so
// what is compared is the ratio of each time to its control in the same run.
#pragma once

#include "csv_table.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace coll_plot {

/// How many times as large a ratio may get before it counts as worse.
struct tolerances {
    double bandwidth = 1.25;
    double latency = 1.5;  ///< up to 4 KiB, held against a round trip
    double crowded = 2.5;  ///< ranks that share cores, whatever the size
};

struct comparison {
    std::string text;          ///< a line for each that got worse or better, and a sum
    std::size_t compared = 0;  ///< cases that both files have, with their controls
    std::size_t worse = 0;
    std::size_t moved = 0;  ///< left out: the cores lie nearer to each other, or farther
};

/// Peers are left out; of several launches the quickest counts.
comparison compare(std::vector<csv_row> const& now, std::vector<csv_row> const& baseline,
                   tolerances const& allowed);

}  // namespace coll_plot
