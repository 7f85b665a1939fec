// SPDX-License-Identifier: BSD-3-Clause
#include "figure.hpp"

#include "../plot.hpp"

#include "../../../tools/coll_plot/looks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace trainer::studies {
namespace {

constexpr double width = 900, height = 440, left = 76, top = 92, frame_width = 560,
                 frame_height = 280, bar_gap = 3;

/// What the axis says, or else what all values of the curves need, with some room.
axis_range range_of(axis const& a, figure const& of, double point::*value) {
    auto low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
    for (auto const& c : of.curves) {
        for (auto const& p : c.points) {
            if (!std::isfinite(p.*value) || (a.base != 0 && p.*value <= 0)) { continue; }
            low = std::min(low, p.*value), high = std::max(high, p.*value);
        }
    }
    if (low > high) { throw std::invalid_argument(of.name + ": there is nothing to draw"); }
    auto const is_y = value == &point::y;
    if (a.base == 0 && is_y) {
        auto const room = (high - low) * 0.06;
        low = low >= 0 && low < high / 3 ? 0 : low - room;
        high += room;
    } else if (is_y) {
        low /= 1.3, high *= 1.3;
    }
    if (!std::isnan(a.low)) { low = a.low; }
    if (!std::isnan(a.high)) { high = a.high; }
    if (high <= low) { high = a.base == 0 ? low + 1 : low * a.base; }
    return {low, high, a.base};
}

struct look {
    std::string_view colour;
    coll_plot::marker mark;
};
look look_of(std::size_t number) {
    return {coll_plot::colours[number % coll_plot::colours.size()],
            coll_plot::markers[number % coll_plot::markers.size()]};
}

void put_mark(svg& to, point where, look const& with) {
    to.raw(coll_plot::mark_at({where.x, where.y, 0}, with.mark, with.colour, false));
}

void draw_bars(svg& to, plot const& in, curve const& c, look const& with) {
    auto const each = frame_width / static_cast<double>(std::max<std::size_t>(c.points.size(), 1));
    for (auto const& p : c.points) {
        auto const end = in.at(p.x, p.y);
        auto const base = in.at(p.x, in.y.low).y;
        auto const thick = std::clamp(each - bar_gap, 1.0, 40.0);
        to.rectangle({end.x - thick / 2, end.y}, thick, base - end.y,
                     fmt::format("fill='{}' fill-opacity='0.75'", with.colour));
    }
}

void draw_curve(svg& to, plot const& in, curve const& c, look const& with) {
    if (c.as == drawn::bars) { return draw_bars(to, in, c, with); }
    std::vector<point> line;
    for (auto const& p : c.points) {
        if (std::isfinite(p.y)) { line.push_back(in.at(p.x, p.y)); }
    }
    if (c.as != drawn::marks) {
        to.polyline(
            line, fmt::format("stroke='{}' stroke-width='2' stroke-linejoin='round'{}", with.colour,
                              c.as == drawn::dashed ? " stroke-dasharray='6 4'" : ""));
    }
    if (c.as == drawn::dashed || line.size() > 60) { return; }
    for (auto const& p : line) { put_mark(to, p, with); }
}

void draw_legend(svg& to, figure const& of) {
    auto const x = left + frame_width + 24;
    auto y = top + 8;
    for (std::size_t i = 0; i < of.curves.size(); ++i, y += 24) {
        auto const with = look_of(i);
        auto const& c = of.curves[i];
        if (c.as == drawn::bars) {
            to.rectangle({x, y - 7}, 30, 14,
                         fmt::format("fill='{}' fill-opacity='0.75'", with.colour));
        } else {
            if (c.as == drawn::dashed) {
                draw_curve(to, {{x, y}, 30, 0, {0, 1}, {0, 1}}, {"", {{0, 0}, {1, 0}}, c.as}, with);
            }
            if (c.as == drawn::line) {
                to.line({x, y}, {x + 30, y},
                        fmt::format("stroke='{}' stroke-width='2'", with.colour));
            }
            if (c.as != drawn::dashed) { put_mark(to, {x + 15, y}, with); }
        }
        to.text({x + 38, y + 4}, c.name, "");
    }
}

}  // namespace

svg draw(figure const& of) {
    svg picture(width, height, of.title, page_style);
    picture.text({24, 32}, of.title, "class='name' style='font-size:18px'");
    picture.text({24, 54}, of.note, "class='note'");
    plot const frame{{left, top},
                     frame_width,
                     frame_height,
                     range_of(of.x, of, &point::x),
                     range_of(of.y, of, &point::y)};
    frame.draw(picture, of.y.name, of.x.name);
    for (std::size_t i = 0; i < of.curves.size(); ++i) {
        draw_curve(picture, frame, of.curves[i], look_of(i));
    }
    draw_legend(picture, of);
    return picture;
}

}  // namespace trainer::studies
