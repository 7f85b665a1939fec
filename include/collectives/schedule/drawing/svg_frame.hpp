// SPDX-License-Identifier: BSD-3-Clause
// What stands around the grids of the SVG: head and legend.
#pragma once

#include <collectives/schedule/drawing/labels.hpp>
#include <collectives/schedule/drawing/layout.hpp>
#include <collectives/schedule/drawing/palette.hpp>
#include <collectives/schedule/drawing/pattern.hpp>
#include <collectives/schedule/drawing/picture_report.hpp>
#include <collectives/schedule/drawing/svg_begin.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace collectives::inline v0::drawing {

/// What the drawing uses, which the legend explains.
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

/// `svg_begin`, and what the picture of a report says below its title.
inline std::string svg_head(report const& shown, picture_layout const& at, double width,
                            double height) {
    auto const& c = shown.cost;
    auto const of_vector = [&](std::size_t bytes) {
        return shown.bytes == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(shown.bytes);
    };
    auto out = svg_begin(shown.title(), width, height,
                         filled("Each grid shows, after a round, whose contributions each "
                                "rank (row) holds in each chunk (column). {} rounds.",
                                c.rounds));
    put(out,
        "<text x=\"28\" y=\"64\" class=\"s\">{} (bound {}); the busiest rank sends "
        "{:.4g} n (bound {:.4g} n){}. {}</text>\n",
        counted(c.rounds, "round"), c.bound.rounds, of_vector(c.busiest.sent),
        of_vector(c.bound.sent),
        reduces(shown.what) ? filled(" and adds {:.4g} n (bound {:.4g} n)",
                                     of_vector(c.busiest.reduced), of_vector(c.bound.reduced))
                            : std::string(),
        shown.proof.ok ? "Proved correct." : "WRONG.");
    if (static_cast<int>(at.rounds.size()) <= c.rounds) {
        put(out,
            "<text x=\"28\" y=\"84\" class=\"s\">Of {} rounds {} are drawn."
            "</text>\n",
            c.rounds, at.rounds.size() - 1);
    } else if (c.rounds < c.bound.rounds) {
        put(out,
            "<text x=\"28\" y=\"84\" class=\"s\">The bound on rounds is for one message per "
            "rank and round; here ranks send several.</text>\n");
    }
    return out;
}

/// The legend from `y` down, in as many lines as `width` asks for.
inline legend svg_legend(report const& shown, legend_needs const& needs, double y, double width) {
    std::string out;
    double x = 28;
    // The function `sample` draws at x, y, once the line of the entry is known.
    auto const entry = [&](auto sample, double room, std::string const& what) {
        double const next = x + room + 7 + 6.9 * static_cast<double>(what.size()) + 20;
        if (next > width) {
            x = 28;
            y += 26;
        }
        put(out, "{}<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"s\">{}</text>\n", sample(),
            x + room + 7, y + 11, what);
        x += room + 7 + 6.9 * static_cast<double>(what.size()) + 20;
    };
    auto const box = [&](std::string const& fill, char const* edge, double opacity, int at = 0) {
        return filled(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"18\" height=\"14\" rx=\"2\" "
            "fill=\"{}\" stroke=\"{}\" opacity=\"{}\"/>",
            x + 18 * at, y, fill, edge, opacity);
    };
    auto const ramp = [&] {
        std::string all;
        for (int i = 0; i < 4; ++i) {
            all += box(palette::of_share(i + 1, 5).fill, palette::line, 1, i);
        }
        return all;
    };
    auto const arrow = [&](char const* kind) {
        return filled("<path d=\"M{:.1f},{:.1f} h30\" class=\"{}\" marker-end=\"url(#{})\"/>", x,
                      y + 7, kind, kind);
    };
    auto const nothing = [] { return std::string(); };
    if (reduces(shown.what)) { entry(ramp, 72, "few to many contributions"); }
    entry([&] { return box(palette::complete, palette::line, 1); }, 18, "complete");
    if (needs.faint) {
        entry([&] { return box(palette::of_share(2, 5).fill, palette::line, palette::faded); }, 18,
              "not read again");
    }
    if (needs.cells) {
        entry([&] { return box("none", palette::ink, 1); }, 18, "changed in this round");
    }
    if (needs.counts) { entry(nothing, -7, "\u00d73: from 3 ranks"); }
    if (needs.adds) {
        entry([&] { return arrow("add"); }, 30, "added to the receiver's value");
    }
    if (needs.copies) {
        entry([&] { return arrow("copy"); }, 30, "copied");
    }
    if (needs.numbers) {
        entry(nothing, -7, filled("numbers on arrows: {}s", part_of(shown.what)));
    }
    return {std::move(out), y + 14};
}

}  // namespace collectives
