// SPDX-License-Identifier: BSD-3-Clause
// What stands around the grids of the SVG.
#pragma once

#include "picture.hpp"

#include <string>

namespace coll_show {

/// What the drawing used, and so the legend has to explain.
struct legend_needs {
    bool cells = false;
    bool faint = false;
    bool counts = false;
    bool adds = false;
    bool copies = false;
    bool numbers = false;
};

struct legend {
    std::string svg;
    double bottom;
};

/// For use as text or attribute of XML.
std::string escaped(std::string const& text);

/// The opening tag with the styles that all pictures have, and `more_styles`, and the title.
std::string svg_begin(std::string const& title, double width, double height,
                      std::string const& description, std::string const& more_styles = {});

/// The same, and what the picture of a report says below its title.
std::string svg_head(report const& shown, picture_layout const& at, double width, double height);

/// The legend from `y` down, in as many lines as `width` asks for.
legend svg_legend(report const& shown, legend_needs const& needs, double y, double width);

}  // namespace coll_show
