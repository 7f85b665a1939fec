// SPDX-License-Identifier: BSD-3-Clause
// What pictures of curves have in common: a frame with axes.
#pragma once

#include "svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace trainer {

inline constexpr std::string_view page_style =
    "text{fill:#333;font-size:13px}.name{font-size:15px;font-weight:bold}.tick{fill:#666}"
    ".note{fill:#707070}.grid{stroke:#E4E4E4}.frame{stroke:#999}";

/// 1, 2 or 5 times a power of ten, so that about `count` of them make `whole`.
inline double tick_for(double whole, int count) {
    auto const power = std::pow(10.0, std::floor(std::log10(whole / count)));
    auto const leading = whole / count / power;
    return power * (leading < 1.99 ? 1 : leading < 4.99 ? 2 : 5);
}

/// The values along an axis. With a `base` it is logarithmic, and its ticks are powers of that.
struct axis_range {
    double low = 0, high = 1;
    double base = 0;

    /// 0 at the low end, 1 at the high one; what lies outside is drawn at the end.
    double part(double value) const {
        value = std::clamp(value, low, high);
        if (base == 0) { return (value - low) / (high - low); }
        return std::log(value / low) / std::log(high / low);
    }
    /// About `count` of them.
    std::vector<double> ticks(int count) const {
        std::vector<double> all;
        if (base == 0) {
            auto const step = tick_for(high - low, count);
            for (auto n = std::ceil(low / step - 1e-9); n * step <= high + 1e-9 * (high - low);
                 ++n) {
                all.push_back(n * step + 0.0);  // -0 becomes 0
            }
            return all;
        }
        auto const first = std::ceil(std::log(low) / std::log(base) - 1e-9);
        auto const last = std::floor(std::log(high) / std::log(base) + 1e-9);
        auto const each = std::max(1.0, std::ceil((last - first) / (2.0 * count)));
        auto const between = base == 10 && last - first < 2;  // 2 and 5 times the powers too
        for (auto n = between ? first - 1 : first; n <= last; n += each) {
            for (auto const part : {1.0, 2.0, 5.0}) {
                auto const value = part * std::pow(base, n);
                auto const wanted = part == 1 || between;
                if (wanted && value >= low / 1.0001 && value <= high * 1.0001) {
                    all.push_back(value);
                }
            }
        }
        return all;
    }
};

/// A frame with axes.
struct plot {
    point corner;  // upper left
    double width, height;
    axis_range x, y;

    point at(double right, double up) const {
        return {corner.x + width * x.part(right), corner.y + height * (1 - y.part(up))};
    }
    void draw(svg& to, std::string_view name, std::string_view x_name) const {
        for (auto const v : y.ticks(4)) {
            to.line(at(x.low, v), at(x.high, v), "class='grid'");
            to.text({corner.x - 8, at(x.low, v).y + 4}, fmt::format("{:.4g}", v),
                    "class='tick' text-anchor='end'");
        }
        for (auto const v : x.ticks(5)) {
            to.text({at(v, y.low).x, corner.y + height + 18}, fmt::format("{:.6g}", v),
                    "class='tick' text-anchor='middle'");
        }
        to.line({corner.x, corner.y + height}, {corner.x + width, corner.y + height},
                "class='frame'");
        to.text({corner.x, corner.y - 12}, name, "class='name'");
        to.text({corner.x + width / 2, corner.y + height + 38}, x_name, "text-anchor='middle'");
    }
};

}  // namespace trainer
