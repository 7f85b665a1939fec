// SPDX-License-Identifier: BSD-3-Clause
// Dark text on a white ground of its own, so that a dark page shows it as well. Blue and orange are
// of Okabe and Ito, which colour-blind readers can tell apart.
#include "picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace pipeline {
namespace {

constexpr double left = 92, right = 84, top = 96, row = 34, box = 28, below = 74;

std::string fixed(double value, int digits = 1) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

/// With as many digits as it needs.
std::string short_text(double value) {
    char text[64];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

void rectangle(std::ostream& out, double x, double y, double wide, std::string const& look) {
    out << "<rect x='" << fixed(x) << "' y='" << fixed(y) << "' width='" << fixed(wide)
        << "' height='" << fixed(box) << "' " << look << "/>\n";
}

void text(std::ostream& out, double x, double y, std::string const& look,
          std::string const& words) {
    out << "<text x='" << fixed(x) << "' y='" << fixed(y) << "' " << look << ">" << words
        << "</text>\n";
}

void legend(std::ostream& out, double y) {
    auto const entry = [&](double x, char const* look, char const* words) {
        out << "<rect x='" << x << "' y='" << y - 12 << "' width='22' height='15' " << look
            << "/>\n";
        text(out, x + 29, y, "class='s'", words);
    };
    entry(left, "class='f'", "forward pass");
    entry(left + 140, "class='b'", "backward pass");
    entry(left + 290, "class='i'", "idle");
    text(out, left + 370, y, "class='s'", "numbers: micro-batches; live: at most so many at once");
}

void draw_panel(std::ostream& out, panel const& p, double y, double unit) {
    auto const height = row * static_cast<double>(p.passes.stages.size());
    text(out, left, y - 10, "class='l'",
         p.name + ": " + short_text(p.passes.total) + " units of time, idle for " +
             fixed(100 * p.passes.idle_share()) + " %");
    for (std::size_t s = 0; s < p.passes.stages.size(); ++s) {
        auto const at = y + row * static_cast<double>(s);
        text(out, left - 10, at + 19, "class='s' text-anchor='end'", std::to_string(s));
        rectangle(out, left, at, p.passes.total * unit, "class='i'");
        for (auto const& i : p.passes.stages[s]) {
            bool const forward = i.work.what == pass::forward;
            auto const wide = (i.end - i.start) * unit;
            rectangle(out, left + i.start * unit, at, wide, forward ? "class='f'" : "class='b'");
            text(out, left + i.start * unit + wide / 2, at + 19,
                 forward ? "class='n' fill='#ffffff'" : "class='n' fill='#16202c'",
                 std::to_string(i.work.micro_batch));
        }
        text(out, left + p.passes.total * unit + 12, at + 19, "class='s'",
             std::to_string(p.most_live[s]) + " live");
    }
    out << "<text transform='translate(" << fixed(left - 52) << " " << fixed(y + height / 2)
        << ") rotate(-90)' class='s' text-anchor='middle'>stage</text>\n";
    int const between = p.passes.total > 60 ? 10 : p.passes.total > 12 ? 3 : 1;
    for (int t = 0; t <= static_cast<int>(p.passes.total); t += between) {
        out << "<path d='M" << fixed(left + t * unit) << "," << fixed(y + height - 4)
            << " v7' stroke='#4a5866'/>\n";
        text(out, left + t * unit, y + height + 18, "class='s' text-anchor='middle'",
             std::to_string(t));
    }
}

}  // namespace

void draw(std::string const& file, std::vector<panel> const& panels, std::string const& title,
          std::string const& time) {
    auto const& first = panels.at(0).passes;
    auto const stages = first.stages.size();
    auto shortest = first.total;
    for (auto const& i : first.stages[0]) { shortest = std::min(shortest, i.end - i.start); }
    auto const unit = std::max(18 / shortest, 720 / first.total);  // a box has room for two digits
    auto const panel_height = row * static_cast<double>(stages) + below;
    auto const wide = left + unit * first.total + right;
    auto const high = top + panel_height * static_cast<double>(panels.size()) + 8;
    std::ostringstream out;
    out << "<svg xmlns='http://www.w3.org/2000/svg' width='" << fixed(wide, 0) << "' height='"
        << fixed(high, 0) << "' viewBox='0 0 " << fixed(wide, 0) << " " << fixed(high, 0)
        << "' role='img' font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', "
           "sans-serif\">\n<title>"
        << title << "</title>\n"
        << "<style>.t{font-size:20px;font-weight:bold;fill:#16202c}.s{font-size:13px;"
           "fill:#4a5866}.l{font-size:14px;fill:#16202c}.n{font-size:13px;text-anchor:middle}"
           ".f{fill:#0072b2;stroke:#fff}.b{fill:#e69f00;stroke:#fff}"
           ".i{fill:url(#hatch);stroke:#aab4be}</style>\n"
        << "<defs><pattern id='hatch' width='6' height='6' patternUnits='userSpaceOnUse' "
           "patternTransform='rotate(45)'><rect width='6' height='6' fill='#f1f4f6'/>"
           "<path d='M0,0 V6' stroke='#b4bdc6' stroke-width='2'/></pattern></defs>\n"
        << "<rect width='100%' height='100%' fill='#ffffff'/>\n";
    text(out, 24, 34, "class='t'", title);
    legend(out, 60);
    auto y = top;
    for (auto const& p : panels) {
        draw_panel(out, p, y, unit);
        text(out, left + unit * first.total / 2, y + panel_height - 36,
             "class='s' text-anchor='middle'", time);
        y += panel_height;
    }
    out << "</svg>\n";
    std::ofstream to(file);
    to << out.str();
    if (!to.flush()) { throw std::runtime_error("cannot write " + file); }
}

}  // namespace pipeline
