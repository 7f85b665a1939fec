// SPDX-License-Identifier: BSD-3-Clause
// Draws the rounds as an SVG.
#include "append.hpp"
#include "describe.hpp"
#include "outputs.hpp"
#include "palette.hpp"
#include "phases.hpp"
#include "picture.hpp"
#include "svg_frame.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace coll_show {

namespace {

constexpr double left = 86;  // room for the names of the ranks
constexpr double top = 104;
constexpr double heading = 42;  // above each grid
constexpr double line_gap = 30;
constexpr int most_arrows = 40;

class drawing {
public:
    explicit drawing(report const& shown)
        : shown_(shown), at_(lay_out(shown)), sim_(shown.schedules), phases_(phases_of(shown)) {
        needs_.cells = at_.labels;
    }

    std::string draw() {
        for (std::size_t i = 0; i < at_.rounds.size(); ++i) {
            while (sim_.round() < at_.rounds[i]) { sim_.advance(); }
            grid(i);
        }
        auto const legend = svg_legend(shown_, needs_, bottom() + 30, width());
        return svg_head(shown_, at_, width(), legend.bottom + 26) + body_ + legend.svg + "</svg>\n";
    }

private:
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
        append(body_, "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, style,
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
                     at_.cell_width > 50 ? fmt::format("{} {}", part_of(shown_.what), c)
                                         : fmt::format("{}", c));
            }
        }
        if (at_.labels) {
            for (int r = 0; r < at_.rows && first_of_line; ++r) {
                text((i == 0 ? x : left) - 12, y + (r + 0.5) * at_.cell_height + 4, "r",
                     fmt::format("rank {}", r));
            }
            for (int r = 0; r < at_.rows; ++r) {
                for (int c = 0; c < at_.columns; ++c) { cell(x, y, r, c); }
            }
        } else {
            squares(x, y);
            ends(x, y, (i == 0 ? x : left) - 12, first_of_line);
        }
        bool const follows = i > 0 && at_.rounds[i - 1] == round - 1;
        if (round >= 0 && follows) { arrows(x, y, round); }
    }

    /// Which ranks and chunks the first and the last squares are.
    void ends(double x, double y, double names, bool first_of_line) {
        if (first_of_line) {
            text(names, y + 10, "r", "rank 0");
            text(names, y + at_.grid_height(), "r", fmt::format("rank {}", shown_.size - 1));
        }
        if (at_.grid_width() < 120) { return; }
        auto const part = part_of(shown_.what);
        text(x + 22, y - 6, "c", fmt::format("{} {}", part, 0));
        text(x + at_.grid_width() - 22, y - 6, "c", fmt::format("{} {}", part, sim_.chunks() - 1));
    }

    /// The round, and its phase where there is room for it.
    void headline(double x, double y, int round) {
        if (round < 0) { return text(x, y, "h", "start"); }
        auto const phase = phases_[static_cast<std::size_t>(round)];
        if (!fits(phase)) { return text(x, y, "h", fmt::format("round {}", round)); }
        append(body_,
               "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"h\">round {}<tspan dx=\"7\" "
               "font-size=\"11\" font-weight=\"normal\" fill=\"{}\">{}</tspan></text>\n",
               x, y, round, palette::quiet, phase);
    }

    void cell(double x, double y, int rank, int chunk) {
        auto const& held = sim_.at(rank, chunk);
        auto const shade = palette::of_share(held.held.count(), sim_.whole(rank, chunk).count());
        double const cx = x + chunk * at_.cell_width;
        double const cy = y + rank * at_.cell_height;
        auto const changed = sim_.changed().find({rank, chunk});
        bool const fresh = changed != sim_.changed().end();
        bool const faint = !held.live && !held.held.empty();
        needs_.faint = needs_.faint || faint;
        if (label(held.held).size() > at_.longest_label) { needs_.counts = true; }
        auto const color = faint ? std::string(palette::faded_text) : shade.text;
        body_ += "<g>";
        append(body_,
               "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"3\" "
               "fill=\"{}\"{} stroke=\"{}\" stroke-width=\"{}\"/>",
               cx + 1.5, cy + 1.5, at_.cell_width - 3, at_.cell_height - 3, shade.fill,
               faint ? fmt::format(" fill-opacity=\"{}\"", palette::faded) : "",
               fresh ? palette::ink : palette::line, fresh ? 1.8 : 0.8);
        auto content = label(held.held);
        if (content.size() > at_.longest_label) {
            content = fmt::format("\u00d7{}", held.held.count());
        }
        bool const strip = coll::reduces(shown_.what) && at_.cell_height > 30;
        if (content != ".") {
            append(body_, "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"v\" fill=\"{}\">{}</text>",
                   cx + at_.cell_width / 2, cy + at_.cell_height / 2 + (strip ? 1 : 4), color,
                   content);
        }
        if (strip) { contributions(cx, cy, held.held, color); }
        body_ += "</g>\n";
    }

    /// A mark per rank, filled if its contribution is in: the same at a glance.
    void contributions(double cx, double cy, rank_set const& held, std::string const& color) {
        double const room = at_.cell_width - 14;
        double const each = room / shown_.size;
        for (int r = 0; r < shown_.size; ++r) {
            append(body_,
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
        for (int r = 0; r < sim_.size(); ++r) {
            for (int c = 0; c < sim_.chunks(); ++c) {
                auto const i =
                    static_cast<std::size_t>(square_of(r, sim_.size(), at_.rows) * at_.columns +
                                             square_of(c, sim_.chunks(), at_.columns));
                held[i] += sim_.at(r, c).held.count();
                whole[i] += sim_.whole(r, c).count();
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
                append(body_,
                       "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                       "fill=\"{}\"/>\n",
                       x + c * at_.cell_width, y + r * at_.cell_height,
                       (last + 1 - c) * at_.cell_width, at_.cell_height, color);
                c = last + 1;
            }
        }
        append(body_,
               "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
               "fill=\"none\" stroke=\"{}\"/>\n",
               x, y, at_.grid_width(), at_.grid_height(), palette::line);
    }

    void arrows(double x, double y, int round) {
        auto const& all = sim_.transfers(round);
        if (static_cast<int>(all.size()) > most_arrows) { return; }
        bool const numbered =
            at_.labels && shown_.schedules[0].chunks > 1 && all.size() <= most_numbers;
        double const from = x - at_.gutter + 6;
        double const to = x - 6;
        double const bend = (to - from) * 0.5;
        auto const row = [&](int rank) {
            return y + (square_of(rank, sim_.size(), at_.rows) + 0.5) * at_.cell_height;
        };
        std::string numbers;  // over all the lines
        rank_set written(sim_.size());
        for (auto const& t : all) {
            double const y0 = row(t.from);
            double const y1 = row(t.to);
            auto const* const kind = t.adds ? "add" : "copy";
            (t.adds ? needs_.adds : needs_.copies) = true;
            append(body_,
                   "<path d=\"M{:.1f},{:.1f} C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" "
                   "class=\"{}\" marker-end=\"url(#{})\"/>\n",
                   from, y0, from + bend, y0, to - bend, y1, to, y1, kind, kind);
            if (!numbered || written.contains(t.from)) { continue; }
            needs_.numbers = true;
            written.insert(t.from);
            auto const what = parts_sent(all, t.from, sim_.chunks());
            double const w = number_width(what.size());
            append(numbers,
                   "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"15\" rx=\"7\" "
                   "fill=\"#fff\" stroke=\"{}\" stroke-width=\"0.9\"/>"
                   "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"n\">{}</text>\n",
                   from, y0 - 7.5, w, t.adds ? palette::adds : palette::copies, from + w / 2,
                   y0 + 3.7, what);
        }
        body_ += numbers;
    }

    report const& shown_;
    picture_layout at_;
    simulation sim_;
    std::vector<std::string_view> phases_;  // of all rounds
    std::string body_;
    legend_needs needs_;
};

}  // namespace

std::string as_svg(report const& shown) { return drawing(shown).draw(); }

}  // namespace coll_show
