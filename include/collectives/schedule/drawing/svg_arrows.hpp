// SPDX-License-Identifier: BSD-3-Clause
// Draws what travels in a round: an arrow for each transfer, with the chunks that the rank sends.
#pragma once

#include <collectives/schedule/drawing/layout.hpp>
#include <collectives/schedule/drawing/palette.hpp>
#include <collectives/schedule/drawing/pattern.hpp>
#include <collectives/schedule/drawing/rank_set.hpp>
#include <collectives/schedule/drawing/replay.hpp>
#include <collectives/schedule/drawing/svg_frame.hpp>

#include <cstddef>
#include <string>

namespace collectives::inline v0::drawing {

/// Appends those of the round that ran last to the body, before the grid whose upper left corner is
/// at x, y. Those of very many transfers are left out.
inline void put_arrows(std::string& body, picture_layout const& at, replay const& values, double x,
                       double y, legend_needs& needs) {
    constexpr std::size_t most_arrows = 40;
    auto const& all = values.transfers(values.round());
    if (all.size() > most_arrows) { return; }
    bool const numbered = at.labels && values.chunks() > 1 && all.size() <= most_numbers;
    double const from = x - at.gutter + 6;
    double const to = x - 6;
    double const bend = (to - from) * 0.5;
    auto const row = [&](int rank) {
        return y + (square_of(rank, values.size(), at.rows) + 0.5) * at.cell_height;
    };
    std::string numbers;  // over all the lines
    rank_set written(values.size());
    for (auto const& t : all) {
        double const y0 = row(t.from);
        double const y1 = row(t.to);
        auto const* const kind = t.adds ? "add" : "copy";
        (t.adds ? needs.adds : needs.copies) = true;
        put(body,
            "<path d=\"M{:.1f},{:.1f} C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" "
            "class=\"{}\" marker-end=\"url(#{})\"/>\n",
            from, y0, from + bend, y0, to - bend, y1, to, y1, kind, kind);
        if (!numbered || written.contains(t.from)) { continue; }
        needs.numbers = true;
        written.insert(t.from);
        auto const what = parts_sent(all, t.from, values.chunks());
        double const w = number_width(what.size());
        put(numbers,
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"15\" rx=\"7\" "
            "fill=\"#fff\" stroke=\"{}\" stroke-width=\"0.9\"/>"
            "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"n\">{}</text>\n",
            from, y0 - 7.5, w, t.adds ? palette::adds : palette::copies, from + w / 2, y0 + 3.7,
            what);
    }
    body += numbers;
}

}  // namespace collectives
