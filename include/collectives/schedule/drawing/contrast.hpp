// SPDX-License-Identifier: BSD-3-Clause
// Whether a text can be read on its ground, as the guidelines for accessible pages (WCAG 2) define
// it.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace collectives::inline v0::drawing::palette {

/// Red, green and blue of a colour such as "#0b5fa5", from 0 to 1, as amounts of light.
inline std::array<double, 3> light_of(std::string_view colour) {
    std::array<double, 3> all{};
    for (std::size_t i = 0; i < 3; ++i) {
        int byte = 0;
        auto const* const digits = colour.data() + 1 + 2 * i;
        std::from_chars(digits, digits + 2, byte, 16);
        auto const part = byte / 255.0;
        all[i] = part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    }
    return all;
}

/// From 1 (the same) to 21 (black on white).
inline double contrast(std::string_view one, std::string_view other) {
    auto const luminance = [](std::string_view colour) {
        auto const [red, green, blue] = light_of(colour);
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    auto const [dark, bright] = std::minmax({luminance(one), luminance(other)});
    return (bright + 0.05) / (dark + 0.05);
}

/// The contrast that text of any size needs.
inline constexpr double readable = 4.5;

}  // namespace collectives
