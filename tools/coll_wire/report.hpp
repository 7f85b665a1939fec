// SPDX-License-Identifier: BSD-3-Clause
// What was measured, as a table and as CSV.
#pragma once

#include "measure.hpp"

#include <string>
#include <vector>

namespace coll_wire {

std::string table_heading();
std::string table_line(answer const& a);

/// Columns that coll_plot knows, and the rest of an answer: one a row.
std::string as_csv(std::vector<answer> const& answers);

}  // namespace coll_wire
