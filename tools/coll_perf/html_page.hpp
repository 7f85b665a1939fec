// SPDX-License-Identifier: BSD-3-Clause
// Measurements as one HTML page that needs nothing else: tables and pictures.
#pragma once

#include "measurement.hpp"

#include <string>
#include <vector>

namespace coll_perf {

/// `head`: lines that say what was measured where. A picture of times and one of bandwidths for
/// each collective, type, operator and number of ranks, and over ranks where there are several
/// numbers.
std::string as_page(std::vector<measurement> const& all, std::string const& head);

}  // namespace coll_perf
