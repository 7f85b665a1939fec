// SPDX-License-Identifier: BSD-3-Clause
// How each SVG begins.
#pragma once

#include <collectives/schedule/drawing/palette.hpp>
#include <collectives/schedule/drawing/pattern.hpp>

#include <string>
#include <utility>

namespace collectives::inline v0::drawing {

/// For use as text of XML; not as an attribute, for quotes stay.
inline std::string escaped(std::string const& text) {
    std::string out;
    for (char const c : text) {
        out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    }
    return out;
}

/// The opening tag with the styles that all pictures have, and `more_styles`, and the title.
inline std::string svg_begin(std::string const& title, double width, double height,
                             std::string const& description, std::string const& more_styles = {}) {
    std::string out = filled(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" "
        "viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-labelledby=\"t d\">\n"
        "<title id=\"t\">{}</title>\n",
        width, height, width, height, escaped(title));
    put(out, "<desc id=\"d\">{}</desc>\n", escaped(description));
    out +=
        "<style>text{font-family:'DejaVu Sans',Helvetica,Arial,sans-serif}"
        ".t{font-size:21px;font-weight:bold}.s{font-size:13px}.h{font-size:14px;font-weight:"
        "bold}.c,.n,.v{text-anchor:middle}.c{font-size:10.5px}.n{font-size:10.5px}"
        ".v{font-size:12px}.r{font-size:12.5px;text-anchor:end}";
    put(out, ".t,.h,.r,.n{{fill:{}}}.s,.c{{fill:{}}}", palette::ink, palette::quiet);
    put(out,
        ".add,.copy{{fill:none;stroke-width:1.5}}.add{{stroke:{}}}"
        ".copy{{stroke:{};stroke-dasharray:5 3}}{}</style>\n<defs>",
        palette::adds, palette::copies, more_styles);
    for (auto const& [id, color] : {std::pair{"add", palette::adds}, {"copy", palette::copies}}) {
        put(out,
            "<marker id=\"{}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
            "markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" "
            "orient=\"auto\"><path d=\"M0,0.6 L8,4 L0,7.4 z\" fill=\"{}\"/></marker>",
            id, color);
    }
    out += "</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    put(out, "<text x=\"28\" y=\"40\" class=\"t\">{}</text>\n", escaped(title));
    return out;
}

}  // namespace collectives
