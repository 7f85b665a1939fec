// SPDX-License-Identifier: BSD-3-Clause
#include "chart.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace coll_plot {
namespace {

/// A curve between two neighbouring places, by the logarithm of its times.
struct stretch {
    std::string const* name;
    double from, to;

    double at(double t) const { return from + t * (to - from); }
};

std::vector<stretch> stretches(std::vector<series> const& curves, double first, double last) {
    std::vector<stretch> list;
    for (auto const& c : curves) {
        auto const a = c.seconds.find(first), b = c.seconds.find(last);
        if (c.what == kind::ours && a != c.seconds.end() && b != c.seconds.end()) {
            list.push_back({&c.name, std::log(a->second), std::log(b->second)});
        }
    }
    return list;
}

/// Where after `t`, up to 1, `other` goes below `now`.
std::optional<double> overtakes(stretch const& other, stretch const& now, double t) {
    auto const ahead = other.at(t) - now.at(t),
               closing = (now.to - now.from) - (other.to - other.from);
    if (other.name == now.name || closing <= 0 || t + ahead / closing > 1) { return {}; }
    return t + std::max(ahead / closing, 0.0);
}

}  // namespace

std::vector<mark> crossings_of(std::vector<series> const& curves) {
    std::set<double> places;
    for (auto const& c : curves) {
        for (auto const& [at, seconds] : c.seconds) {
            if (at > 0) { places.insert(at); }
        }
    }
    std::vector<mark> marks;
    auto const note = [&](double at, std::string const& name) {
        if (marks.empty() || marks.back().name != name) { marks.push_back({at, name}); }
    };
    for (auto next = places.begin(); next != places.end();) {
        auto const first = *next;
        if (++next == places.end()) { break; }
        auto const lines = stretches(curves, first, *next);
        if (lines.empty()) { continue; }
        auto const* now =
            &*std::min_element(lines.begin(), lines.end(), [](auto const& a, auto const& b) {
                return a.from != b.from ? a.from < b.from : a.to < b.to;
            });
        note(first, *now->name);
        for (double t = 0; now != nullptr;) {
            stretch const* winner = nullptr;
            double soonest = 1;
            for (auto const& other : lines) {
                auto const when = overtakes(other, *now, t);
                if (when && *when < soonest) { soonest = *when, winner = &other; }
            }
            now = winner;
            t = soonest;
            if (now != nullptr) { note(first * std::pow(*next / first, t), *now->name); }
        }
    }
    return marks;
}

}  // namespace coll_plot
