// SPDX-License-Identifier: BSD-3-Clause
// Writes SVG elements one after the other.
#include "svg.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace trainer {
namespace {

std::string coordinates(std::vector<point> const& points) {
    std::string list;
    for (auto const& p : points) {
        fmt::format_to(std::back_inserter(list), "{:.2f},{:.2f} ", p.x, p.y);
    }
    return list;
}

}  // namespace

svg::svg(double width, double height, std::string_view title, std::string_view style) {
    raw(
        fmt::format("<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' "
                    "viewBox='0 0 {0} {1}' role='img' "
                    "font-family='\"Helvetica Neue\", Helvetica, Arial, \"Liberation Sans\", "
                    "sans-serif'>\n<title>{2}</title>\n<style>{3}</style>",
                    width, height, title, style));
    rectangle({0, 0}, width, height, "fill='white'");
}

void svg::line(point from, point to, std::string_view look) {
    raw(fmt::format("<line x1='{:.2f}' y1='{:.2f}' x2='{:.2f}' y2='{:.2f}' {}/>", from.x, from.y,
                    to.x, to.y, look));
}

void svg::polyline(std::vector<point> const& points, std::string_view look) {
    raw(fmt::format("<polyline fill='none' points='{}' {}/>", coordinates(points), look));
}

void svg::polygon(std::vector<point> const& points, std::string_view look) {
    raw(fmt::format("<polygon points='{}' {}/>", coordinates(points), look));
}

void svg::rectangle(point corner, double width, double height, std::string_view look) {
    raw(fmt::format("<rect x='{:.2f}' y='{:.2f}' width='{:.2f}' height='{:.2f}' {}/>", corner.x,
                    corner.y, width, height, look));
}

void svg::circle(point centre, double radius, std::string_view look) {
    raw(fmt::format("<circle cx='{:.2f}' cy='{:.2f}' r='{:.2f}' {}/>", centre.x, centre.y, radius,
                    look));
}

void svg::text(point where, std::string_view words, std::string_view look) {
    raw(fmt::format("<text x='{:.2f}' y='{:.2f}' {}>{}</text>", where.x, where.y, look, words));
}

void svg::raw(std::string_view element) {
    body_ += element;
    body_ += '\n';
}

std::string svg::text() const { return body_ + "</svg>\n"; }

void svg::save(std::filesystem::path const& file) const {
    std::ofstream out(file);
    out << text();
    if (!out.flush()) { throw std::runtime_error("cannot write " + file.string()); }
}

}  // namespace trainer
