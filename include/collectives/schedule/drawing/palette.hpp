// SPDX-License-Identifier: BSD-3-Clause
// Colours that colour-blind readers tell apart: a ramp of one blue, by lightness, for partial sums,
// and gold for what is complete. The explorer's page has the same numbers in its script.
#pragma once

#include <collectives/schedule/drawing/contrast.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>

namespace collectives::inline v0::drawing::palette {

inline constexpr auto ink = "#16202c";
inline constexpr auto quiet = "#5d6b7a";
inline constexpr auto line = "#c9d2dc";
inline constexpr auto nothing = "#f4f6f8";
inline constexpr auto complete = "#f5b82e";
inline constexpr auto adds = "#b3400a";    // the arrow of what is added
inline constexpr auto copies = "#0b7285";  // the arrow of what is copied, dashed too

/// Cells that nobody reads again are filled this faintly, and what stands in them is grey.
inline constexpr double faded = 0.3;
inline constexpr auto faded_text = "#46535f";

struct shade {
    std::string fill;
    std::string text;
};

/// Of `count` contributions out of `whole`.
inline shade of_share(int count, int whole) {
    if (count == 0) { return {nothing, quiet}; }
    if (count >= whole) { return {complete, ink}; }
    constexpr std::array<double, 3> low{222, 235, 248};
    constexpr std::array<double, 3> high{31, 88, 150};
    auto const t = whole <= 2 ? 0.0 : static_cast<double>(count - 1) / (whole - 2);
    std::string fill = "#";
    for (std::size_t i = 0; i < 3; ++i) {
        auto const mixed = static_cast<std::size_t>(std::lround(low[i] + t * (high[i] - low[i])));
        fill += "0123456789abcdef"[mixed / 16];
        fill += "0123456789abcdef"[mixed % 16];
    }
    for (auto const* text : {ink, "#ffffff"}) {
        if (contrast(fill, text) >= readable) { return {fill, text}; }
    }
    return {fill, "#000000"};  // between pale and dark neither of them can be read
}

}  // namespace collectives
