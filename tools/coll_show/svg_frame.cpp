// SPDX-License-Identifier: BSD-3-Clause
// Head and legend of the SVG.
#include "svg_frame.hpp"

#include "append.hpp"
#include "describe.hpp"
#include "palette.hpp"

#include <utility>

namespace coll_show {

std::string escaped(std::string const& text) {
    std::string out;
    for (char const c : text) {
        out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    }
    return out;
}

std::string svg_begin(std::string const& title, double width, double height,
                      std::string const& description, std::string const& more_styles) {
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-labelledby=\"t d\">\n"
        "<title id=\"t\">{2}</title>\n",
        width, height, escaped(title));
    append(out, "<desc id=\"d\">{}</desc>\n", escaped(description));
    out +=
        "<style>text{font-family:'DejaVu Sans',Helvetica,Arial,sans-serif}"
        ".t{font-size:21px;font-weight:bold}.s{font-size:13px}.h{font-size:14px;font-weight:"
        "bold}.c,.n,.v{text-anchor:middle}.c{font-size:10.5px}.n{font-size:10.5px}"
        ".v{font-size:12px}.r{font-size:12.5px;text-anchor:end}";
    append(out, ".t,.h,.r,.n{{fill:{}}}.s,.c{{fill:{}}}", palette::ink, palette::quiet);
    append(out,
           ".add,.copy{{fill:none;stroke-width:1.5}}.add{{stroke:{}}}"
           ".copy{{stroke:{};stroke-dasharray:5 3}}{}</style>\n<defs>",
           palette::adds, palette::copies, more_styles);
    for (auto const& [id, color] : {std::pair{"add", palette::adds}, {"copy", palette::copies}}) {
        append(out,
               "<marker id=\"{}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
               "markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" "
               "orient=\"auto\"><path d=\"M0,0.6 L8,4 L0,7.4 z\" fill=\"{}\"/></marker>",
               id, color);
    }
    out += "</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    append(out, "<text x=\"28\" y=\"40\" class=\"t\">{}</text>\n", escaped(title));
    return out;
}

std::string svg_head(report const& shown, picture_layout const& at, double width, double height) {
    auto const& c = shown.cost;
    auto const of_vector = [&](std::size_t bytes) {
        return shown.bytes == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(shown.bytes);
    };
    auto out = svg_begin(shown.title(), width, height,
                         fmt::format("Each grid shows, after a round, whose contributions each "
                                     "rank (row) holds in each chunk (column). {} rounds.",
                                     c.rounds));
    append(out,
           "<text x=\"28\" y=\"64\" class=\"s\">{} (bound {}); the busiest rank sends "
           "{:.4g} n (bound {:.4g} n){}. {}</text>\n",
           counted(c.rounds, "round"), c.bound.rounds, of_vector(c.busiest.sent),
           of_vector(c.bound.sent),
           coll::reduces(shown.what)
               ? fmt::format(" and adds {:.4g} n (bound {:.4g} n)", of_vector(c.busiest.reduced),
                             of_vector(c.bound.reduced))
               : std::string(),
           shown.proof.ok ? "Proved correct." : "WRONG.");
    if (static_cast<int>(at.rounds.size()) <= c.rounds) {
        append(out,
               "<text x=\"28\" y=\"84\" class=\"s\">Of {} rounds {} are drawn."
               "</text>\n",
               c.rounds, at.rounds.size() - 1);
    }
    return out;
}

legend svg_legend(report const& shown, legend_needs const& needs, double y, double width) {
    std::string out;
    double x = 28;
    // `sample` is drawn at x, y by a function, once it is known in which line it stands.
    auto const put = [&](auto sample, double room, std::string const& what) {
        double const next = x + room + 7 + 6.9 * static_cast<double>(what.size()) + 20;
        if (next > width) {
            x = 28;
            y += 26;
        }
        append(out, "{}<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"s\">{}</text>\n", sample(),
               x + room + 7, y + 11, what);
        x += room + 7 + 6.9 * static_cast<double>(what.size()) + 20;
    };
    auto const box = [&](std::string const& fill, char const* edge, double opacity, int at = 0) {
        return fmt::format(
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
        return fmt::format("<path d=\"M{:.1f},{:.1f} h30\" class=\"{}\" marker-end=\"url(#{})\"/>",
                           x, y + 7, kind, kind);
    };
    auto const nothing = [] { return std::string(); };
    if (coll::reduces(shown.what)) { put(ramp, 72, "few to many contributions"); }
    put([&] { return box(palette::complete, palette::line, 1); }, 18, "complete");
    if (needs.faint) {
        put([&] { return box(palette::of_share(2, 5).fill, palette::line, palette::faded); }, 18,
            "not read again");
    }
    if (needs.cells) {
        put([&] { return box("none", palette::ink, 1); }, 18, "changed in this round");
    }
    if (needs.counts) { put(nothing, -7, "\u00d73: from 3 ranks"); }
    if (needs.adds) {
        put([&] { return arrow("add"); }, 30, "added to the receiver's value");
    }
    if (needs.copies) {
        put([&] { return arrow("copy"); }, 30, "copied");
    }
    if (needs.numbers) {
        put(nothing, -7, fmt::format("numbers on arrows: {}s", part_of(shown.what)));
    }
    return {std::move(out), y + 14};
}

}  // namespace coll_show
