// SPDX-License-Identifier: BSD-3-Clause
// Draws what the ranks hold after a round: a grid of cells with text, or of small squares.
#pragma once

#include <collectives/schedule/drawing/layout.hpp>
#include <collectives/schedule/drawing/palette.hpp>
#include <collectives/schedule/drawing/pattern.hpp>
#include <collectives/schedule/drawing/replay.hpp>
#include <collectives/schedule/drawing/svg_frame.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace collectives::inline v0::drawing {

/// Appends to the body of a picture. What it is made from outlives it.
class svg_cells {
public:
    svg_cells(picture_layout const& at, replay const& values, std::string& body,
              legend_needs& needs)
        : at_(at), values_(values), body_(body), needs_(needs) {}

    /// The grid whose upper left corner is at x, y.
    void draw(double x, double y) {
        if (!at_.labels) { return squares(x, y); }
        for (int r = 0; r < at_.rows; ++r) {
            for (int c = 0; c < at_.columns; ++c) { cell(x, y, r, c); }
        }
    }

private:
    void cell(double x, double y, int rank, int chunk) {
        auto const& held = values_.at(rank, chunk);
        auto const shade = palette::of_share(held.held.count(), values_.whole(rank, chunk).count());
        double const cx = x + chunk * at_.cell_width;
        double const cy = y + rank * at_.cell_height;
        auto const changed = values_.changed().find({rank, chunk});
        bool const fresh = changed != values_.changed().end();
        bool const faint = !held.live && !held.held.empty();
        needs_.faint = needs_.faint || faint;
        if (label(held.held).size() > at_.longest_label) { needs_.counts = true; }
        auto const color = faint ? std::string(palette::faded_text) : shade.text;
        body_ += "<g>";
        put(body_,
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"3\" "
            "fill=\"{}\"{} stroke=\"{}\" stroke-width=\"{}\"/>",
            cx + 1.5, cy + 1.5, at_.cell_width - 3, at_.cell_height - 3, shade.fill,
            faint ? filled(" fill-opacity=\"{}\"", palette::faded) : "",
            fresh ? palette::ink : palette::line, fresh ? 1.8 : 0.8);
        auto content = label(held.held);
        if (content.size() > at_.longest_label) { content = filled("\u00d7{}", held.held.count()); }
        bool const strip = reduces(values_.what()) && at_.cell_height > 30;
        if (content != ".") {
            put(body_, "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"v\" fill=\"{}\">{}</text>",
                cx + at_.cell_width / 2, cy + at_.cell_height / 2 + (strip ? 1 : 4), color,
                content);
        }
        if (strip) { contributions(cx, cy, held.held, color); }
        body_ += "</g>\n";
    }

    /// A mark per rank, filled if its contribution is in: the same at a glance.
    void contributions(double cx, double cy, rank_set const& held, std::string const& color) {
        double const room = at_.cell_width - 14;
        double const each = room / values_.size();
        for (int r = 0; r < values_.size(); ++r) {
            put(body_,
                "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"5\" fill=\"{}\" "
                "fill-opacity=\"{}\"/>",
                cx + 7 + r * each + 0.6, cy + at_.cell_height - 11.5, each - 1.2, color,
                held.contains(r) ? "0.85" : "0.14");
        }
    }

    /// Many ranks: each square has the mean share of what lies in it; equal ones are drawn as one.
    void squares(double x, double y) {
        auto const cells = static_cast<std::size_t>(at_.rows * at_.columns);
        std::vector<double> held(cells);
        std::vector<double> whole(cells);
        for (int r = 0; r < values_.size(); ++r) {
            for (int c = 0; c < values_.chunks(); ++c) {
                auto const i =
                    static_cast<std::size_t>(square_of(r, values_.size(), at_.rows) * at_.columns +
                                             square_of(c, values_.chunks(), at_.columns));
                held[i] += values_.at(r, c).held.count();
                whole[i] += values_.whole(r, c).count();
            }
        }
        auto const fill = [&](int r, int c) {
            auto const i = static_cast<std::size_t>(r * at_.columns + c);
            bool const full = held[i] >= whole[i];
            int const percent = static_cast<int>(std::lround(100 * held[i] / whole[i]));
            return palette::of_share(full ? 100 : std::clamp(percent, held[i] > 0 ? 1 : 0, 99), 100)
                .fill;
        };
        for (int r = 0; r < at_.rows; ++r) {
            for (int c = 0; c < at_.columns;) {
                auto const color = fill(r, c);
                int last = c;
                while (last + 1 < at_.columns && fill(r, last + 1) == color) { ++last; }
                put(body_,
                    "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                    "fill=\"{}\"/>\n",
                    x + c * at_.cell_width, y + r * at_.cell_height,
                    (last + 1 - c) * at_.cell_width, at_.cell_height, color);
                c = last + 1;
            }
        }
        put(body_,
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
            "fill=\"none\" stroke=\"{}\"/>\n",
            x, y, at_.grid_width(), at_.grid_height(), palette::line);
    }

    picture_layout const& at_;
    replay const& values_;
    std::string& body_;
    legend_needs& needs_;
};

}  // namespace collectives
