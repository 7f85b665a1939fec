// SPDX-License-Identifier: BSD-3-Clause
// Gantt pictures of timelines.
#pragma once

#include "replay.hpp"

#include <string>
#include <vector>

namespace pipeline {

struct panel {
    std::string name;
    timeline passes;
    std::vector<int> most_live;  // micro-batches, of each stage
};

/// Writes an SVG file with a panel below the other: stages are rows, passes are boxes with the
/// numbers of their micro-batches, idle time is hatched. `time` is the title of that axis. Throws
/// std::runtime_error if it cannot.
void draw(std::string const& file, std::vector<panel> const& panels, std::string const& title,
          std::string const& time);

}  // namespace pipeline
