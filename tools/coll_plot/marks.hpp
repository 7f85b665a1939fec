// SPDX-License-Identifier: BSD-3-Clause
// The marks at the points of a curve.
#pragma once

#include "../palette.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace coll_plot {

using palette::marker;

/// In pixels, and the value that it stands for.
struct point {
    double x, y, value;
};

template <class... Arguments>
inline void append(std::string& out, fmt::format_string<Arguments...> format,
                   Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
}

/// The corners of a regular shape, or of a star where `inner` is less than `outer`.
inline std::string corners(point const& p, int count, double outer, double inner) {
    std::string path;
    for (int i = 0; i < 2 * count; ++i) {
        auto const r = i % 2 == 0 ? outer : inner;
        auto const turn = 3.14159265358979 * (i / static_cast<double>(count) - 0.5);
        append(path, "{}{:.1f},{:.1f}", i == 0 ? "M" : " ", p.x + r * std::cos(turn),
               p.y + r * std::sin(turn));
    }
    return path + " z";
}

inline std::string mark_at(point const& p, marker mark, std::string_view colour, bool hollow) {
    constexpr double r = 4;
    auto const look =
        hollow ? fmt::format("fill=\"#ffffff\" stroke=\"{}\" stroke-width=\"2\"", colour)
               : fmt::format("fill=\"{}\" stroke=\"#ffffff\" stroke-width=\"1\"", colour);
    auto const path = [&](std::string const& d) {
        return fmt::format("<path d=\"{}\" {}/>", d, look);
    };
    auto const strokes = [&](char const* d) {
        return fmt::format(
            "<path d=\"M{:.1f},{:.1f} {}\" fill=\"none\" stroke=\"{}\" "
            "stroke-width=\"2.2\"/>",
            p.x, p.y, d, colour);
    };
    auto const from = [&](double up, char const* rest) {
        return path(fmt::format("M{:.1f},{:.1f} {} z", p.x, p.y - up, rest));
    };
    switch (mark) {
        case marker::circle:
            return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" {}/>", p.x, p.y, r,
                               look);
        case marker::square:
            return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" {}/>",
                               p.x - r, p.y - r, 2 * r, 2 * r, look);
        case marker::triangle: return from(5, "l5,9 h-10");
        case marker::diamond: return from(5.5, "l5,5.5 l-5,5.5 l-5,-5.5");
        case marker::down: return from(-5, "l5,-9 h-10");
        case marker::star: return path(corners(p, 5, 6, 2.6));
        case marker::hexagon: return path(corners(p, 6, 5, 4.33));
        case marker::pentagon: return path(corners(p, 5, 5, 4.05));
        case marker::cross: return strokes("m-4,-4 l8,8 m0,-8 l-8,8");
        case marker::plus: return strokes("m-5,0 h10 m-5,-5 v10");
        case marker::bar: return strokes("m0,-5 v10");
    }
    return "";
}

}  // namespace coll_plot
