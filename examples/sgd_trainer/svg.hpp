// SPDX-License-Identifier: BSD-3-Clause
// Just enough SVG for the pictures. Lengths are in pixels, the origin is the upper left corner.
#pragma once

#include "../../tools/palette.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace trainer {

struct point {
    double x = 0;
    double y = 0;
};

/// A picture under construction. `look` is SVG attributes, as in `class='grid'`.
class svg {
public:
    /// `style` is CSS for the classes that the caller uses; `title` is for screen readers.
    svg(double width, double height, std::string_view title, std::string_view style);

    void line(point from, point to, std::string_view look);
    void polyline(std::vector<point> const& points, std::string_view look);
    void polygon(std::vector<point> const& points, std::string_view look);
    void rectangle(point corner, double width, double height, std::string_view look);
    void circle(point centre, double radius, std::string_view look);
    void text(point where, std::string_view words, std::string_view look);
    void raw(std::string_view element);

    /// The whole picture.
    std::string text() const;
    /// Writes the file; throws std::runtime_error if that fails.
    void save(std::filesystem::path const& file) const;

private:
    std::string body_;
};

/// Some of those of all pictures.
namespace colour {
inline constexpr auto blue = palette::others[0];
inline constexpr auto rust = palette::others[1];
inline constexpr auto green = palette::others[2];
inline constexpr auto purple = palette::others[3];
}  // namespace colour

}  // namespace trainer
