// SPDX-License-Identifier: BSD-3-Clause
#include "series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace coll_plot {
namespace {

std::string name_of(csv_row const& row, bool several_algorithms, bool several_transports) {
    static std::map<std::string, std::string> const peers{
        {"mpich", "MPICH"}, {"openmpi", "Open MPI"}, {"gloo", "Gloo"}};
    auto const& transport = row.text("transport");
    if (auto const found = peers.find(transport); found != peers.end()) { return found->second; }
    auto name = transport;
    if (several_algorithms) {
        name = (several_transports ? name + " " : "") + row.text("algorithm");
    }
    if (row.text("memory") == "allocated") { name += ", allocated"; }
    return name;
}

double quicker_copy(csv_row const& row) {
    return std::min(row.number("copy_us"), row.number("copy_past_cache_us"));
}

}  // namespace

bool is_peer(csv_row const& row) { return row.text("algorithm") == "its own"; }

double limit_of(csv_row const& row) {
    return row.number("bytes") <= small_message ? row.number("round_trip_us") : quicker_copy(row);
}

double median(std::vector<double> values) {
    if (values.empty()) { return 0; }
    std::sort(values.begin(), values.end());
    auto const half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<csv_row> select(std::vector<csv_row> const& rows,
                            std::vector<condition> const& conditions) {
    std::vector<csv_row> chosen;
    for (auto const& row : rows) {
        bool const meets = std::all_of(conditions.begin(), conditions.end(), [&](auto const& c) {
            return row.text(c.first) == c.second;
        });
        if (meets && row.number("median_us") > 0) { chosen.push_back(row); }
    }
    return chosen;
}

std::vector<series> curves_of(std::vector<csv_row> const& rows, std::string_view over) {
    std::set<std::string> algorithms, transports;
    bool out_of_place = false;
    for (auto const& row : rows) {
        transports.insert(row.text("transport"));
        if (!is_peer(row)) { algorithms.insert(row.text("algorithm")); }
        out_of_place = out_of_place || row.text("in_place") == "0";
    }
    struct points {
        kind what;
        std::map<double, std::vector<double>> by_bytes;
    };
    std::vector<std::pair<std::string, points>> found;  // in the order of the files
    auto const add = [&](std::string const& name, kind what, double bytes, double microseconds) {
        if (!(microseconds > 0)) { return; }
        auto at = std::find_if(found.begin(), found.end(),
                               [&](auto const& f) { return f.first == name; });
        if (at == found.end()) { at = found.insert(found.end(), {name, {what, {}}}); }
        at->second.by_bytes[bytes].push_back(microseconds / 1e6);
    };
    for (auto const& row : rows) {
        if (out_of_place && row.text("in_place") == "1") { continue; }
        auto const bytes = row.number("bytes");
        auto const at = row.number(over == "ranks" ? "ranks" : "bytes");
        auto const what = is_peer(row) ? kind::peer : kind::ours;
        add(name_of(row, algorithms.size() > 1, transports.size() > 1), what, at,
            row.number("median_us"));
        add("bound", kind::limit, at, row.number("bound_us"));
        if (what == kind::peer || row.text("memory") == "allocated") { continue; }
        add(bytes <= small_message ? round_trip_name : "copy by every rank", kind::limit, at,
            limit_of(row));
    }
    std::vector<series> curves;
    for (auto const what : {kind::ours, kind::peer, kind::limit}) {
        for (auto const& [name, p] : found) {
            if (p.what != what) { continue; }
            series s{name, what, {}};
            for (auto const& [bytes, times] : p.by_bytes) { s.seconds[bytes] = median(times); }
            curves.push_back(std::move(s));
        }
    }
    return curves;
}

std::string human_bytes(double bytes) {
    constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) { bytes /= 1024; }
    return fmt::format("{:.4g} {}", bytes, units[unit]);
}

}  // namespace coll_plot
