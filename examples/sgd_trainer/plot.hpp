// SPDX-License-Identifier: BSD-3-Clause
// What the pictures of the report have in common.
#pragma once

#include "report.hpp"
#include "svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace trainer {

inline constexpr std::string_view page_style =
    "text{fill:#333;font-size:13px}.name{font-size:15px;font-weight:bold}.tick{fill:#666}"
    ".note{fill:#777}.grid{stroke:#E4E4E4}.frame{stroke:#999}";

/// 1, 2 or 5 times a power of ten, so that about `count` of them make `whole`.
inline double tick_for(double whole, int count) {
    auto const power = std::pow(10.0, std::floor(std::log10(whole / count)));
    auto const leading = whole / count / power;
    return power * (leading < 1.99 ? 1 : leading < 4.99 ? 2 : 5);
}

/// A frame with axes for x in 0..right and y in low..high.
struct plot {
    point corner;  // upper left
    double width, height, right, low, high;

    point at(double x, double y) const {
        auto const part_of_height = (std::clamp(y, low, high) - low) / (high - low);
        return {corner.x + width * x / right, corner.y + height * (1 - part_of_height)};
    }
    void draw(svg& to, std::string_view name, std::string_view x_name) const {
        for (auto y = std::ceil(low / step()) * step(); y <= high * (1 + 1e-9); y += step()) {
            to.line(at(0, y), at(right, y), "class='grid'");
            to.text({corner.x - 8, at(0, y).y + 4}, fmt::format("{:.3g}", y),
                    "class='tick' text-anchor='end'");
        }
        auto const across = tick_for(right, 5);
        for (double x = 0; x <= right * (1 + 1e-9); x += across) {
            to.text({at(x, low).x, corner.y + height + 18}, fmt::format("{:.6g}", x),
                    "class='tick' text-anchor='middle'");
        }
        to.line({corner.x, corner.y + height}, {corner.x + width, corner.y + height},
                "class='frame'");
        to.text({corner.x, corner.y - 12}, name, "class='name'");
        to.text({corner.x + width / 2, corner.y + height + 38}, x_name, "text-anchor='middle'");
    }
    void curve(svg& to, std::vector<moment> const& values, bool in_steps, bool marked,
               std::string_view colour, double thick) const {
        std::vector<point> line;
        for (auto const& v : values) { line.push_back(at(in_steps ? v.step : v.seconds, v.value)); }
        to.polyline(line, fmt::format("stroke='{}' stroke-width='{}' stroke-linejoin='round'",
                                      colour, thick));
        if (!marked) { return; }
        for (auto const& p : line) {
            to.circle(p, 3.5, fmt::format("fill='white' stroke='{}' stroke-width='2'", colour));
        }
    }

private:
    double step() const { return tick_for(high - low, 4); }
};

/// Pictures of where time went, in page_time.cpp.
std::string draw_time_of_ranks(history const& all);
std::string draw_some_steps(history const& all);

}  // namespace trainer
