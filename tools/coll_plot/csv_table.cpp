// SPDX-License-Identifier: BSD-3-Clause
#include "csv_table.hpp"

#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace coll_plot {
namespace {

/// Takes one record off the front of `text`.
std::vector<std::string> take_record(std::string_view& text) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    std::size_t i = 0;
    for (; i < text.size(); ++i) {
        char const c = text[i];
        if (quoted) {
            if (c != '"') {
                cells.back() += c;
            } else if (i + 1 < text.size() && text[i + 1] == '"') {
                cells.back() += c;
                ++i;
            } else {
                quoted = false;
            }
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',') {
            cells.emplace_back();
        } else if (c == '\n') {
            break;
        } else if (c != '\r') {
            cells.back() += c;
        }
    }
    if (quoted) { throw std::runtime_error("a quoted cell does not end"); }
    text.remove_prefix(i < text.size() ? i + 1 : i);
    return cells;
}

}  // namespace

std::string const& csv_row::text(std::string const& column) const {
    static std::string const none;
    auto const found = cells_.find(column);
    return found == cells_.end() ? none : found->second;
}

double csv_row::number(std::string const& column) const {
    auto const& t = text(column);
    double value = 0;
    std::from_chars(t.data(), t.data() + t.size(), value);
    return std::isfinite(value) ? value : 0;
}

std::vector<csv_row> parse_csv(std::string_view text) {
    std::vector<csv_row> rows;
    if (text.empty()) { return rows; }
    auto const columns = take_record(text);
    for (int line = 2; !text.empty(); ++line) {
        auto const cells = take_record(text);
        if (cells.size() != columns.size()) {
            throw std::runtime_error("line " + std::to_string(line) + " has " +
                                     std::to_string(cells.size()) + " cells, not " +
                                     std::to_string(columns.size()));
        }
        std::map<std::string, std::string> row;
        for (std::size_t i = 0; i < cells.size(); ++i) { row[columns[i]] = cells[i]; }
        rows.emplace_back(std::move(row));
    }
    return rows;
}

std::vector<csv_row> read_csv(std::string const& path) try {
    return parse_csv(read_file(path));
} catch (std::runtime_error const& e) { throw std::runtime_error(path + ": " + e.what()); }

std::string read_file(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) { throw std::runtime_error("cannot read " + path); }
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(std::string const& path, std::string const& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) { throw std::runtime_error("cannot write " + path); }
}

}  // namespace coll_plot
