// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace coll_plot {

std::string human_time(double seconds) {
    auto value = seconds * 1e9;
    char const* unit = "ns";
    for (auto const* const next : {"us", "ms", "s"}) {
        if (value < 999.5) { break; }
        value /= 1000;
        unit = next;
    }
    auto const digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f} {}", value, digits, unit);
}

std::string as_markdown(std::vector<series> const& curves, std::vector<double> const& sizes) {
    std::set<double> rows(sizes.begin(), sizes.end());
    if (rows.empty()) {
        for (auto const& c : curves) {
            for (auto const& [bytes, seconds] : c.seconds) { rows.insert(bytes); }
        }
    }
    std::string out = "| bytes |", rule = "|---|";
    for (auto const& c : curves) {
        out += " " + c.name + " |";
        rule += "---|";
    }
    out += "\n" + rule + "\n";
    for (double const bytes : rows) {
        out += "| " + human_bytes(bytes) + " |";
        for (auto const& c : curves) {
            auto const found = c.seconds.find(bytes);
            auto const cell = found == c.seconds.end() ? "-" : human_time(found->second);
            out += c.what == kind::ours && found != c.seconds.end() ? " **" + cell + "** |"
                                                                    : " " + cell + " |";
        }
        out += "\n";
    }
    return out;
}

}  // namespace coll_plot
