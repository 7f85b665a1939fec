// SPDX-License-Identifier: BSD-3-Clause
// Curves as a table in Markdown.
#pragma once

#include "series.hpp"

#include <string>
#include <vector>

namespace coll_plot {

/// A row for each of these sizes (all that there are, if none is named), a column for each curve.
std::string as_markdown(std::vector<series> const& curves, std::vector<double> const& sizes);

/// Three significant digits and a unit: `72.1 ns`, `1.23 us`, `40.4 ms`.
std::string human_time(double seconds);

}  // namespace coll_plot
