// SPDX-License-Identifier: BSD-3-Clause
// Measurements as files: tidy CSV and JSON, one row or object per measurement.
#pragma once

#include "measurement.hpp"

#include <string>
#include <vector>

namespace coll_perf {

/// A cell of the table: its column, its text, and whether that is a number.
struct cell {
    std::string column;
    std::string text;
    bool number = false;
};
std::vector<cell> cells_of(measurement const& m);

std::string as_csv(std::vector<measurement> const& all);
std::string as_json(std::vector<measurement> const& all);

/// Throws std::runtime_error unless this file can be written. It is called before anything is
/// measured, so that nothing is lost. Changes no file that exists, and leaves no new one.
void require_writable(std::string const& path);

/// Throws std::runtime_error if that fails.
void write_file(std::string const& path, std::string const& text);

}  // namespace coll_perf
