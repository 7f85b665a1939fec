// SPDX-License-Identifier: BSD-3-Clause
// Draws the rounds as an SVG.
#pragma once

#include <collectives/schedule/drawing/labels.hpp>
#include <collectives/schedule/drawing/layout.hpp>
#include <collectives/schedule/drawing/palette.hpp>
#include <collectives/schedule/drawing/pattern.hpp>
#include <collectives/schedule/drawing/phases.hpp>
#include <collectives/schedule/drawing/picture_report.hpp>
#include <collectives/schedule/drawing/replay.hpp>
#include <collectives/schedule/drawing/svg_arrows.hpp>
#include <collectives/schedule/drawing/svg_cells.hpp>
#include <collectives/schedule/drawing/svg_frame.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace collectives::inline v0::drawing {

class svg_picture {
public:
    explicit svg_picture(report const& shown)
        : shown_(shown), at_(lay_out(shown)), values_(shown.schedules), phases_(phases_of(shown)) {
        needs_.cells = at_.labels;
    }

    std::string draw() {
        for (std::size_t i = 0; i < at_.rounds.size(); ++i) {
            while (values_.round() < at_.rounds[i]) { values_.advance(); }
            grid(i);
        }
        auto const legend = svg_legend(shown_, needs_, bottom() + 30, width());
        return svg_head(shown_, at_, width(), legend.bottom + 26) + body_ + legend.svg + "</svg>\n";
    }

private:
    static constexpr double left = 86;  // room for the names of the ranks
    static constexpr double top = 104;
    static constexpr double heading = 42;  // above each grid
    static constexpr double line_gap = 30;

    double x_of(std::size_t i) const {
        auto const column = static_cast<double>(i % static_cast<std::size_t>(at_.per_line));
        return left + column * (at_.grid_width() + at_.gutter) + at_.gutter;
    }
    double y_of(std::size_t i) const {
        auto const row = static_cast<double>(i / static_cast<std::size_t>(at_.per_line));
        return top + row * (at_.grid_height() + heading + line_gap) + heading;
    }
    double width() const {
        double beside = 30;  // the last grid, whose headline may be wider
        for (auto const phase : phases_) {
            if (fits(phase)) {
                beside = std::max(beside, headline_width(phase) - at_.grid_width());
            }
        }
        return std::max(860.0, left + at_.per_line * (at_.grid_width() + at_.gutter) + beside);
    }
    static double headline_width(std::string_view phase) {
        return 80 + 6.5 * static_cast<double>(phase.size());
    }
    bool fits(std::string_view phase) const {
        return !phase.empty() && headline_width(phase) < at_.grid_width() + at_.gutter;
    }
    double bottom() const { return y_of(at_.rounds.size() - 1) + at_.grid_height(); }

    void text(double x, double y, char const* style, std::string const& content) {
        put(body_, "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, style,
            escaped(content));
    }

    void grid(std::size_t i) {
        double const x = x_of(i);
        double const y = y_of(i);
        int const round = at_.rounds[i];
        bool const first_of_line = i % static_cast<std::size_t>(at_.per_line) == 0;
        headline(x, y - 22, round);
        if (at_.labels && shown_.schedules[0].chunks > 1) {
            for (int c = 0; c < at_.columns; ++c) {
                text(x + (c + 0.5) * at_.cell_width, y - 6, "c",
                     at_.cell_width > 50 ? filled("{} {}", part_of(shown_.what), c)
                                         : filled("{}", c));
            }
        }
        double const names = (i == 0 ? x : left) - 12;
        for (int r = 0; r < at_.rows && at_.labels && first_of_line; ++r) {
            text(names, y + (r + 0.5) * at_.cell_height + 4, "r", filled("rank {}", r));
        }
        svg_cells(at_, values_, body_, needs_).draw(x, y);
        if (!at_.labels) { ends(x, y, names, first_of_line); }
        bool const follows = i > 0 && at_.rounds[i - 1] == round - 1;
        if (round >= 0 && follows) { put_arrows(body_, at_, values_, x, y, needs_); }
    }

    /// Which ranks and chunks the first and the last squares are.
    void ends(double x, double y, double names, bool first_of_line) {
        if (first_of_line) {
            text(names, y + 10, "r", "rank 0");
            text(names, y + at_.grid_height(), "r", filled("rank {}", shown_.size - 1));
        }
        if (at_.grid_width() < 120) { return; }
        auto const part = part_of(shown_.what);
        text(x + 22, y - 6, "c", filled("{} {}", part, 0));
        text(x + at_.grid_width() - 22, y - 6, "c", filled("{} {}", part, values_.chunks() - 1));
    }

    /// The round, and its phase where there is room for it.
    void headline(double x, double y, int round) {
        if (round < 0) { return text(x, y, "h", "start"); }
        auto const phase = phases_[static_cast<std::size_t>(round)];
        if (!fits(phase)) { return text(x, y, "h", filled("round {}", round)); }
        put(body_,
            "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"h\">round {}<tspan dx=\"7\" "
            "font-size=\"11\" font-weight=\"normal\" fill=\"{}\">{}</tspan></text>\n",
            x, y, round, palette::quiet, phase);
    }

    report const& shown_;
    picture_layout at_;
    replay values_;
    std::vector<std::string_view> phases_;  // of all rounds
    std::string body_;
    legend_needs needs_;
};

/// Rounds left to right, each a grid of rank x chunk coloured by the share of contributions, with
/// arrows for the transfers between them. Of many rounds a few are drawn; the picture says which.
inline std::string svg_of(report const& shown) { return svg_picture(shown).draw(); }

}  // namespace collectives
