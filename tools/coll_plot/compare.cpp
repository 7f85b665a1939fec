// SPDX-License-Identifier: BSD-3-Clause
#include "compare.hpp"

#include "series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace coll_plot {
namespace {

struct known_case {
    std::string name;
    double bytes = 0;
    bool crowded = false;
    std::vector<double> times, limits, trips;  // of its launches

    // What disturbs a launch makes it slower: the quickest says most.
    double ratio() const { return least(times) / least(limits); }
    double trip() const { return least(trips); }
    static double least(std::vector<double> const& v) {
        return *std::min_element(v.begin(), v.end());
    }
};

/// Two virtual cores may be one real core today, and far from each other tomorrow.
bool same_distance(known_case const& a, known_case const& b) {
    constexpr double factor = 1.5;
    return a.trip() <= b.trip() * factor && b.trip() <= a.trip() * factor;
}

std::map<std::string, known_case> cases_of(std::vector<csv_row> const& rows) {
    std::map<std::string, known_case> cases;
    for (auto const& row : rows) {
        auto const limit = limit_of(row);
        auto const time = row.number("median_us");
        if (is_peer(row) || !(limit > 0) || !(time > 0)) { continue; }
        std::string name;
        for (auto const* const column :
             {"transport", "collective", "algorithm", "type", "op", "memory"}) {
            name += row.text(column) + " ";
        }
        name += fmt::format("{} ranks, {}{}{}", row.text("ranks"), human_bytes(row.number("bytes")),
                            row.text("in_place") == "1" ? ", in place" : "",
                            row.text("cold") == "1"    ? ", cold"
                            : row.text("touch") == "1" ? ", touched"
                                                       : "");
        if (row.number("offset") > 0) { name += ", offset " + row.text("offset"); }
        auto& c = cases[name];
        c.name = name;
        c.bytes = row.number("bytes");
        c.crowded = row.number("ranks") > row.number("cores");
        c.times.push_back(time);
        c.limits.push_back(limit);
        c.trips.push_back(row.number("round_trip_us"));
    }
    return cases;
}

}  // namespace

comparison compare(std::vector<csv_row> const& now, std::vector<csv_row> const& baseline,
                   tolerances const& allowed) {
    comparison result;
    auto const before = cases_of(baseline);
    std::size_t better = 0, missing = before.size();
    for (auto const& [name, c] : cases_of(now)) {
        auto const found = before.find(name);
        if (found == before.end()) { continue; }
        --missing;
        if (!c.crowded && !same_distance(c, found->second)) {
            ++result.moved;
            continue;
        }
        ++result.compared;
        auto const was = found->second.ratio();
        auto const is = c.ratio();
        auto const factor = c.crowded                  ? allowed.crowded
                            : c.bytes <= small_message ? allowed.latency
                                                       : allowed.bandwidth;
        bool const worse = is > was * factor;
        if (!worse && was <= is * factor) { continue; }
        ++(worse ? result.worse : better);
        result.text += fmt::format("{:<7}{}: {:.2f} of the control, was {:.2f} (allowed: {:.2f})\n",
                                   worse ? "WORSE" : "better", name, is, was, was * factor);
    }
    result.text += fmt::format(
        "{} cases compared: {} worse, {} better; {} of the baseline were not "
        "measured\n",
        result.compared, result.worse, better, missing);
    if (result.moved > 0) {
        result.text += fmt::format(
            "{} cases not compared: a cache line's round trip takes another "
            "time than in the baseline, so the cores lie otherwise\n",
            result.moved);
    }
    return result;
}

}  // namespace coll_plot
