// SPDX-License-Identifier: BSD-3-Clause
// A picture of curves over sizes, both axes logarithmic, as SVG.
#pragma once

#include "series.hpp"

#include <string>
#include <vector>

namespace coll_plot {

/// Speed-up is over ranks: as many as there are, by the time, whose unit is that of one.
enum class quantity { latency, bandwidth, speed_up };

/// From here on, up to the next mark, the curve of this name is the lowest.
struct mark {
    double at = 0;
    std::string name;
};

/// What a curve runs over: sizes of the vector, or numbers of ranks with one size.
struct axis {
    bool ranks = false;
    double bytes = 0;         ///< of all points, where it is ranks
    std::vector<mark> marks;  ///< by `at`
};

/// Which of ours is the lowest, from where on: between the points of curves on straight lines of
/// the picture.
std::vector<mark> crossings_of(std::vector<series> const& curves);

/// Colours that colour-blind readers tell apart, and marks that differ in shape too. Throws
/// std::runtime_error where there is nothing to draw.
std::string as_svg(std::vector<series> const& curves, quantity what, std::string const& title,
                   std::string const& subtitle, axis over = {});

/// As text of SVG and HTML, and as a value of an attribute.
std::string escaped(std::string const& text);

/// Pictures of `as_svg`, from left to right and from top to bottom, as one.
std::string side_by_side(std::vector<std::string> const& pictures, int columns);

}  // namespace coll_plot
