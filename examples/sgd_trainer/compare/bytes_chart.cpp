// SPDX-License-Identifier: BSD-3-Clause
// The chart of bytes against ranks. Every curve is counted from the algorithm's own steps.
#include "pictures.hpp"
#include "../svg.hpp"

#include "../../../tools/palette.hpp"

#include <collectives/algorithm/butterfly.hpp>
#include <collectives/algorithm/ring.hpp>
#include <collectives/algorithm/star.hpp>
#include <collectives/algorithm/tree.hpp>
#include <collectives/schedule/any_algorithm.hpp>

#include <fmt/format.h>

#include <cmath>
#include <functional>

namespace coll = collectives;

namespace trainer {
namespace {

constexpr int most_ranks = 64;
constexpr double most_bytes = 160;   // in multiples of the vector
constexpr double least_bytes = 0.7;  // likewise
constexpr double panel_width = 400;
constexpr double panel_height = 400;

constexpr std::string_view bytes_style =
    "text{fill:#333}.title{font-size:22px;font-weight:bold}.sub{font-size:14px;fill:#666}"
    ".panel{font-size:16px;font-weight:bold}.tick{font-size:13px;fill:#666}.axis{font-size:14px}"
    ".name{font-size:14px;font-weight:bold}.note{font-size:13px;fill:#707070}"
    ".grid{stroke:#E4E4E4}.frame{stroke:#999}";

struct curve {
    coll::any_algorithm algorithm;
    std::string_view colour;
    std::string_view dash;
    double width;
    std::string_view sent_formula;
    std::string_view path_formula;
};

// The butterfly is dashed and comes after the tree, because in one panel they coincide.
std::vector<curve> const& curves() {
    auto const of = [](char const* name) { return palette::look_in(name)->colour; };
    static std::vector<curve> const all{
        {coll::star{}, of("star"), "none", 2.5, "P − 1", "2(P − 1)"},
        {coll::tree{}, of("tree"), "none", 4.5, "⌈log₂ P⌉", "2⌈log₂ P⌉"},
        {coll::butterfly{}, of("butterfly"), "7 5", 2.5, "⌈log₂ P⌉", "log₂ P at P = 2ᵏ,"},
        {coll::ring{}, of("ring"), "none", 2.5, "2(P − 1)/P", "2(P − 1)/P"}};
    return all;
}

using metric = std::function<double(coll::cost const&)>;

struct panel {
    point corner;  // upper left
    metric of_cost;
    std::function<double(measured_point const&)> of_measured;

    point at(double ranks, double bytes) const {
        auto const right = std::log(ranks / 2) / std::log(most_ranks / 2.0);
        auto const up = std::log(bytes / least_bytes) / std::log(most_bytes / least_bytes);
        return {corner.x + right * panel_width, corner.y + (1 - up) * panel_height};
    }
};

void draw_axes(svg& picture, panel const& to, std::string_view heading, std::string_view meaning) {
    auto const [left, top] = to.corner;
    auto const bottom = top + panel_height;
    for (int bytes = 1; bytes <= 128; bytes *= 2) {
        auto const y = to.at(2, bytes).y;
        picture.line({left, y}, {left + panel_width, y}, "class='grid'");
        picture.text({left - 10, y + 4.5}, fmt::format("{}", bytes),
                     "class='tick' text-anchor='end'");
    }
    for (int ranks = 2; ranks <= most_ranks; ranks *= 2) {
        auto const x = to.at(ranks, 1).x;
        picture.line({x, top}, {x, bottom}, "class='grid'");
        picture.text({x, bottom + 20}, fmt::format("{}", ranks),
                     "class='tick' text-anchor='middle'");
    }
    std::vector<point> impossible{{left, bottom}};
    for (int ranks = 2; ranks <= most_ranks; ++ranks) {
        impossible.push_back(to.at(ranks, 2.0 * (ranks - 1) / ranks));
    }
    impossible.push_back({left + panel_width, bottom});
    picture.polygon(impossible, "fill='#ECECEC'");
    picture.text({left + panel_width - 12, bottom - 14},
                 "no algorithm does with less than 2(P − 1)/P", "class='note' text-anchor='end'");
    picture.line({left, bottom}, {left + panel_width, bottom}, "class='frame'");
    picture.text({left, top - 34}, heading, "class='panel'");
    picture.text({left, top - 14}, meaning, "class='note'");
    picture.text({left + panel_width / 2, bottom + 44}, "ranks P",
                 "class='axis' text-anchor='middle'");
}

void draw_curves(svg& picture, panel const& to, std::span<measured_point const> measured) {
    auto const multiple = [&](curve const& c, int ranks) {
        auto const bytes = static_cast<std::size_t>(ranks) * 1024;  // divides evenly: exact
        return to.of_cost(c.algorithm.cost_of(ranks, bytes)) / static_cast<double>(bytes);
    };
    for (auto const& c : curves()) {
        std::vector<point> line;
        for (int ranks = 2; ranks <= most_ranks; ++ranks) {
            line.push_back(to.at(ranks, multiple(c, ranks)));
        }
        picture.polyline(line, fmt::format("stroke='{}' stroke-width='{}' stroke-dasharray='{}' "
                                           "stroke-linejoin='round'",
                                           c.colour, c.width, c.dash));
    }
    for (auto const& c : curves()) {
        for (auto const& m : measured) {
            if (m.algorithm != coll::name(c.algorithm)) { continue; }
            picture.circle(to.at(m.ranks, to.of_measured(m)), c.width > 4 ? 7.5 : 5,
                           fmt::format("fill='white' stroke='{}' stroke-width='2.5'", c.colour));
        }
    }
}

void draw_name(svg& picture, panel const& to, double bytes, std::string_view name,
               std::string_view formula, std::string_view colour) {
    auto const [x, y] = to.at(most_ranks, bytes);
    picture.text({x + 12, y - 2}, name, fmt::format("class='name' style='fill:{}'", colour));
    picture.text({x + 12, y + 15}, formula, "class='note'");
}

}  // namespace

void draw_bytes_chart(std::filesystem::path const& file, std::span<measured_point const> measured) {
    svg picture(1240, 620, "Bytes against ranks for star, tree, butterfly and ring", bytes_style);
    picture.text({70, 42}, "What an all-reduce of n bytes asks of the network", "class='title'");
    picture.text({70, 66},
                 fmt::format("Curves: counted from each algorithm’s steps. Circles: measured at "
                             "P = {}. Both axes are logarithmic.",
                             measured.empty() ? 0 : measured.front().ranks),
                 "class='sub'");

    panel const left{{70, 140},
                     [](coll::cost const& c) { return double(c.busiest.sent); },
                     [](measured_point const& m) { return m.sent; }};
    panel const right{{660, 140},
                      [](coll::cost const& c) { return double(c.critical.bytes); },
                      [](measured_point const& m) { return m.one_path; }};
    draw_axes(picture, left, "Bytes that the busiest rank sends", "in multiples of n");
    draw_axes(picture, right, "Bytes that must pass one after the other",
              "in multiples of n; times n/R: the time over links of rate R");
    draw_curves(picture, left, measured);
    draw_curves(picture, right, measured);

    auto const& c = curves();
    draw_name(picture, left, 63, "star", c[0].sent_formula, c[0].colour);
    draw_name(picture, left, 6, "tree", c[1].sent_formula, c[1].colour);
    picture.text({left.at(most_ranks, 6).x + 50, left.at(most_ranks, 6).y - 2}, "= butterfly",
                 fmt::format("class='name' style='fill:{}'", c[2].colour));
    draw_name(picture, left, 63.0 / 32, "ring", c[3].sent_formula, c[3].colour);
    draw_name(picture, right, 126, "star", c[0].path_formula, c[0].colour);
    draw_name(picture, right, 12, "tree", c[1].path_formula, c[1].colour);
    draw_name(picture, right, 6, "butterfly", c[2].path_formula, c[2].colour);
    picture.text({right.at(most_ranks, 6).x + 12, right.at(most_ranks, 6).y + 32},
                 "else ⌊log₂ P⌋ + 2", "class='note'");
    draw_name(picture, right, 63.0 / 32, "ring", c[3].path_formula, c[3].colour);
    picture.save(file);
}

}  // namespace trainer
