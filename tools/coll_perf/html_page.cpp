// SPDX-License-Identifier: BSD-3-Clause
#include "html_page.hpp"

#include "csv.hpp"

#include "../coll_plot/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace coll_perf {
namespace {

using rows_of_one = std::vector<coll_plot::csv_row>;
using coll_plot::quantity;

constexpr std::string_view page_style =
    "body{font:15px/1.5 sans-serif;margin:2em auto;max-width:1240px;padding:0 1em;color:#222}"
    "svg{max-width:100%;height:auto}pre{background:#f4f4f4;padding:1em;overflow:auto}"
    "table{border-collapse:collapse;margin:1em 0}td,th{border-bottom:1px solid #ddd;"
    "padding:.2em .7em;text-align:right}th{background:#f4f4f4}.name{text-align:left}"
    ".wrong{color:#b00;font-weight:bold}";

/// A column of the page's tables, of the files' columns.
struct page_column {
    std::string_view column, title;
    bool name = false;  ///< no number
};
constexpr std::array all_columns{page_column{"transport", "transport", true},
                                 page_column{"algorithm", "algorithm", true},
                                 page_column{"in_place", "in place"},
                                 page_column{"bytes", "bytes"},
                                 page_column{"median_us", "median, \u00b5s"},
                                 page_column{"p95_us", "95 %"},
                                 page_column{"least_of_ranks_us", "quickest rank"},
                                 page_column{"most_of_ranks_us", "slowest rank"},
                                 page_column{"algbw_GBps", "algbw, GB/s"},
                                 page_column{"busbw_GBps", "busbw, GB/s"},
                                 page_column{"overlap_percent", "overlap, %"},
                                 page_column{"sent_bytes", "sent, bytes"},
                                 page_column{"messages", "messages"},
                                 page_column{"link_GBps", "link, GB/s"},
                                 page_column{"percent_of_bound", "of the bound, %"},
                                 page_column{"percent_of_limit", "of the limit, %"},
                                 page_column{"percent_of_loop", "of the bare loop, %"},
                                 page_column{"wrong", "wrong"},
                                 page_column{"note", "note", true}};

coll_plot::csv_row row_of(measurement const& m) {
    std::map<std::string, std::string> cells;
    for (auto& c : cells_of(m)) { cells[c.column] = c.text == "null" ? "" : c.text; }
    return coll_plot::csv_row(std::move(cells));
}

/// Those of the columns that say something of one row at least.
std::vector<page_column> columns_of(rows_of_one const& rows) {
    std::vector<page_column> result;
    for (auto const& c : all_columns) {
        auto const says = [&](auto const& row) { return !row.text(std::string(c.column)).empty(); };
        if (std::any_of(rows.begin(), rows.end(), says)) { result.push_back(c); }
    }
    return result;
}

std::string table_of(rows_of_one const& rows) {
    auto const columns = columns_of(rows);
    std::string out = "<table><tr>";
    for (auto const& c : columns) {
        out += fmt::format("<th{}>{}</th>", c.name ? " class=\"name\"" : "", c.title);
    }
    out += "</tr>\n";
    for (auto const& row : rows) {
        out += "<tr>";
        bool const measured = row.number("median_us") > 0;
        for (auto const& c : columns) {
            auto const& text = row.text(std::string(c.column));
            bool const figure = !c.name && c.column != "in_place" && c.column != "bytes";
            bool const wrong = c.column == "wrong" && text != "0";
            out += fmt::format("<td{}>{}</td>",
                               c.name  ? " class=\"name\""
                               : wrong ? " class=\"wrong\""
                                       : "",
                               figure && !measured ? "N/A" : coll_plot::escaped(text));
        }
        out += "</tr>\n";
    }
    return out + "</table>\n";
}

/// Nothing where there are no figures, or no sizes.
std::string picture_of(rows_of_one const& all, quantity what, std::string const& title,
                       coll_plot::axis const& over = {}) {
    rows_of_one rows;
    for (auto const& row : coll_plot::select(all, {})) {
        if (row.number("bytes") > 0 && (!over.ranks || row.number("bytes") == over.bytes)) {
            rows.push_back(row);
        }
    }
    if (rows.empty()) { return {}; }
    auto const curves = coll_plot::curves_of(rows, over.ranks ? "ranks" : "bytes");
    auto const below = fmt::format("{}, {}", rows.front().text("cpu"), rows.front().text("date"));
    return coll_plot::as_svg(curves, what, title, below, over) + "\n";
}

std::string subject_of(coll_plot::csv_row const& row) {
    return fmt::format("{}, {}, {}", row.text("collective"), row.text("type"), row.text("op"));
}

/// The groups of rows with the same key, in the order of their first rows.
template <class Key>
std::vector<std::pair<std::string, rows_of_one>> grouped(rows_of_one const& rows, Key const& key) {
    std::vector<std::pair<std::string, rows_of_one>> groups;
    std::map<std::string, std::size_t> at;
    for (auto const& row : rows) {
        auto const [found, is_new] = at.emplace(key(row), groups.size());
        if (is_new) { groups.emplace_back(found->first, rows_of_one{}); }
        groups[found->second].second.push_back(row);
    }
    return groups;
}

/// Over ranks, at the smallest and at the largest size that were measured with several numbers.
std::string over_ranks(std::string const& subject, rows_of_one const& rows) {
    std::map<double, std::set<double>> numbers;
    for (auto const& row : coll_plot::select(rows, {})) {
        if (row.number("bytes") > 0) { numbers[row.number("bytes")].insert(row.number("ranks")); }
    }
    std::erase_if(numbers, [](auto const& n) { return n.second.size() < 2; });
    if (numbers.empty()) { return {}; }
    std::set<double> const sizes{numbers.begin()->first, numbers.rbegin()->first};
    auto out = fmt::format("<h2>{}, over ranks</h2>\n", coll_plot::escaped(subject));
    for (auto const bytes : sizes) {
        auto const title = fmt::format("{} of {}", subject, coll_plot::human_bytes(bytes));
        out += picture_of(rows, quantity::latency, title, {true, bytes, {}});
    }
    return out;
}

}  // namespace

std::string as_page(std::vector<measurement> const& all, std::string const& head) {
    rows_of_one rows;
    for (auto const& m : all) { rows.push_back(row_of(m)); }
    auto out = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>coll_perf</title>"
        "<style>{}</style></head><body>\n<h1>coll_perf</h1>\n<pre>{}</pre>\n",
        page_style, coll_plot::escaped(head));
    auto const by_ranks = grouped(rows, [](auto const& row) {
        return fmt::format("{}, {} ranks", subject_of(row), row.text("ranks"));
    });
    for (auto const& [title, group] : by_ranks) {
        out += fmt::format("<h2>{}</h2>\n", coll_plot::escaped(title));
        out += picture_of(group, quantity::latency, title + ": time of the slowest rank");
        out += picture_of(group, quantity::bandwidth, title + ": bytes per time");
        out += table_of(group);
    }
    for (auto const& [subject, group] : grouped(rows, subject_of)) {
        out += over_ranks(subject, group);
    }
    return out + "</body></html>\n";
}

}  // namespace coll_perf
