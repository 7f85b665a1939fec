// SPDX-License-Identifier: BSD-3-Clause
// Which colour, line and mark each curve of a picture has.
#pragma once

#include "marks.hpp"
#include "series.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coll_plot {

/// Where there are peers, ours are the first ones.
inline constexpr auto& colours = palette::others;
inline constexpr std::size_t strong = 4;
inline constexpr std::string_view limit_colour = "#6b7683";

/// Of ours without a look of their own, where others have one: unlike the colours of algorithms and
/// peers, and dark.
inline constexpr std::array<std::string_view, 3> beside_algorithms{"#d00000", "#1b1464", "#274e13"};

/// Of curves that are no algorithm's.
inline constexpr std::array<marker, 5> markers{marker::circle, marker::square, marker::triangle,
                                               marker::diamond, marker::down};

struct curve {
    std::string name;
    std::string look;  // attributes of its line
    std::string_view colour;
    std::optional<marker> mark;
    bool hollow;
    std::vector<point> points;
};

/// An algorithm has its own look wherever it is the only one of ours that runs it. Others take
/// theirs in turn, first the marks that no algorithm in the picture has. What was seen looks as the
/// curve before it.
class looks {
public:
    explicit looks(std::vector<series> const& all) {
        auto const alone = std::none_of(all.begin(), all.end(),
                                        [](auto const& s) { return s.what == kind::peer; });
        our_colours_ = alone ? colours.size() : strong;
        for (auto const& s : all) {
            if (s.what != kind::ours) { continue; }
            if (auto const* own = palette::look_in(s.name)) { ++runs_[own]; }
        }
        auto const has = [this](marker m) {
            return std::any_of(runs_.begin(), runs_.end(), [m](auto const& run) {
                return run.second == 1 && run.first->mark == m;
            });
        };
        std::stable_partition(markers_.begin(), markers_.end(), [&](marker m) { return !has(m); });
        beside_ =
            std::any_of(runs_.begin(), runs_.end(), [](auto const& r) { return r.second == 1; });
    }

    curve next(series const& s) {
        curve c{s.name, "stroke-width=\"1.6\"", limit_colour, {}, s.what == kind::seen, {}};
        if (s.what == kind::limit) {
            c.look +=
                limits_++ % 2 == 0 ? " stroke-dasharray=\"2 4\"" : " stroke-dasharray=\"9 5\"";
        } else if (s.what == kind::seen) {
            c.look = "stroke-width=\"0\"";
            c.colour = last_colour_;
            c.mark = last_mark_;
        } else if (s.what == kind::ours) {
            ours(s, c);
            last_colour_ = c.colour;
            last_mark_ = *c.mark;
        } else {
            c.colour = colours[strong + peers_ % (colours.size() - strong)];
            c.mark = markers[(2 + peers_++) % markers.size()];
        }
        return c;
    }

private:
    void ours(series const& s, curve& c) {
        c.look = "stroke-width=\"2.6\"";
        auto const* const own = palette::look_in(s.name);
        if (own != nullptr && runs_[own] == 1) {
            c.colour = own->colour;
            c.mark = own->mark;
            if (!own->dash.empty()) { append(c.look, " stroke-dasharray=\"{}\"", own->dash); }
            return;
        }
        c.colour = beside_ ? beside_algorithms[ours_ % beside_algorithms.size()]
                           : colours[ours_ % our_colours_];
        c.mark = markers_[ours_++ % markers_.size()];
    }

    std::size_t our_colours_ = strong, ours_ = 0, peers_ = 0, limits_ = 0;
    std::map<palette::look const*, int> runs_;
    std::array<marker, markers.size()> markers_ = markers;  // in the order in which they are taken
    bool beside_ = false;  // whether an algorithm has a look of its own here
    std::string_view last_colour_ = limit_colour;
    marker last_mark_ = marker::circle;
};

}  // namespace coll_plot
