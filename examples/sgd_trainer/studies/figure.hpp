// SPDX-License-Identifier: BSD-3-Clause
// A plot of a study.
#pragma once

#include "../svg.hpp"

#include <limits>
#include <string>
#include <vector>

namespace trainer::studies {

inline constexpr double chosen = std::numeric_limits<double>::quiet_NaN();

struct axis {
    std::string name;
    double base = 0;                     ///< of a logarithmic axis; 0: a linear one
    double low = chosen, high = chosen;  ///< where nothing is said, what the curves need
};

enum class drawn { line, dashed, marks, bars };

struct curve {
    std::string name;
    std::vector<point> points;  ///< x and y in the axes' units
    drawn as = drawn::line;
};

/// Curves in one frame, with a legend beside it.
struct figure {
    std::string name;  ///< of the file, without the study's name and .svg
    std::string title;
    std::string note;  ///< a line below the title; may be empty
    axis x, y;
    std::vector<curve> curves;
};

/// The picture as SVG. Throws std::invalid_argument where there is nothing to draw.
svg draw(figure const& of);

}  // namespace trainer::studies
