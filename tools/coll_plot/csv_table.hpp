// SPDX-License-Identifier: BSD-3-Clause
// Reads the CSV that coll_perf writes.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace coll_plot {

/// A row, by the names of its columns.
class csv_row {
public:
    explicit csv_row(std::map<std::string, std::string> cells) : cells_(std::move(cells)) {}

    /// Empty where the file has no such column.
    std::string const& text(std::string const& column) const;
    /// 0 where there is none.
    double number(std::string const& column) const;

private:
    std::map<std::string, std::string> cells_;
};

/// The first line names the columns; cells may be quoted. Throws std::runtime_error with the line's
/// number where a row has more or fewer cells.
std::vector<csv_row> parse_csv(std::string_view text);

std::vector<csv_row> read_csv(std::string const& path);

/// The contents of a file; throws std::runtime_error if it cannot be read.
std::string read_file(std::string const& path);

/// Throws std::runtime_error if that fails.
void write_file(std::string const& path, std::string const& text);

}  // namespace coll_plot
