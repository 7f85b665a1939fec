// SPDX-License-Identifier: BSD-3-Clause
// Just enough SVG for the pictures. Lengths are in pixels, the origin is the upper left corner.
#pragma once

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

/// The colours of Okabe and Ito, which colour-blind readers can tell apart.
namespace colour {
inline constexpr std::string_view vermilion = "#D55E00";
inline constexpr std::string_view orange = "#E69F00";
inline constexpr std::string_view green = "#009E73";
inline constexpr std::string_view blue = "#0072B2";
}  // namespace colour

}  // namespace trainer
