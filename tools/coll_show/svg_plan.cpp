// SPDX-License-Identifier: BSD-3-Clause
// Draws plans as an SVG.
#include "append.hpp"
#include "planned.hpp"

#include <collectives/schedule/drawing/palette.hpp>
#include <collectives/schedule/drawing/svg_begin.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace coll_show {

using coll::drawing::escaped, coll::drawing::svg_begin;
namespace palette = coll::drawing::palette;

namespace {

constexpr double left = 28, top = 120, column = 330, box_width = 270, row = 46, box_height = 34;
constexpr std::size_t longest_line = 43;  // letters that fit a box

class plan_drawing {
public:
    explicit plan_drawing(plan_report const& shown) : shown_(shown), rows_(shown.ranks.size()) {
        place();
    }

    std::string draw() {
        for (std::size_t r = 0; r < shown_.ranks.size(); ++r) { draw_rank(r); }
        auto const width = std::max(900.0, left + column * static_cast<double>(rows_.size()));
        auto const height = y_of(last_row_ + 1) + 30;
        return head(width, height) + arrows_ + body_ + "</svg>\n";
    }

private:
    using mark = std::pair<std::size_t, std::size_t>;  // rank, instruction

    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    plans::instruction const& at(mark m) const { return shown_.ranks[m.first].program[m.second]; }
    double x_of(std::size_t rank) const { return left + column * static_cast<double>(rank); }
    static double y_of(int in_row) { return top + row * in_row; }

    /// Waits of the window are about earlier calls, and tests show nothing.
    static bool is_drawn(plans::instruction const& i) {
        return i.runs_back == 0 && i.what != plans::opcode::test;
    }

    /// Gives each instruction a row below all that it needs. Plans are proved before they are
    /// drawn, so that there is one.
    void place() {
        std::vector<std::size_t> next(rows_.size());
        std::map<std::pair<std::size_t, std::size_t>, std::vector<mark>> sent;  // from, to
        std::map<std::pair<std::size_t, std::size_t>, std::size_t> taken;       // likewise
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t r = 0; r < rows_.size(); ++r) {
                auto const& program = shown_.ranks[r].program;
                if (next[r] == program.size()) { continue; }
                mark const me{r, next[r]};
                auto const& i = program[next[r]];
                auto least = rows_[r].empty() ? 0 : rows_[r].back() + 1;
                if (i.what == plans::opcode::wait && i.runs_back == 0) {
                    auto const found = publication(index(i.peer), i.at);
                    if (found.second >= rows_[found.first].size()) { continue; }
                    least = std::max(least, rows_[found.first][found.second] + 1);
                    published_[{r, index(i.peer)}] = found;
                } else if (i.what == plans::opcode::receive) {
                    auto const& from = sent[{index(i.peer), r}];
                    auto& k = taken[{index(i.peer), r}];
                    if (k == from.size()) { continue; }
                    least = std::max(least, rows_[from[k].first][from[k].second] + 1);
                    origin_[me].push_back(from[k++]);
                } else if (i.what == plans::opcode::send) {
                    sent[{r, index(i.peer)}].push_back(me);
                }
                note_origins(me);
                rows_[r].push_back(is_drawn(i) ? least : least - 1);
                last_row_ = std::max(last_row_, rows_[r].back());
                ++next[r];
                moved = true;
            }
        }
    }
    mark publication(std::size_t rank, plans::point least) const {
        auto const& program = shown_.ranks[rank].program;
        auto const found = std::find_if(program.begin(), program.end(), [&](auto const& i) {
            return i.what == plans::opcode::publish && i.at >= least;
        });
        return {rank, index(static_cast<int>(found - program.begin()))};
    }
    void note_origins(mark me) {
        auto const& p = shown_.ranks[me.first];
        for (int k = at(me).sources.first; k < at(me).sources.last; ++k) {
            auto const peer = p.sources[index(k)].peer;
            if (peer >= 0) { origin_[me].push_back(published_[{me.first, index(peer)}]); }
        }
    }

    static std::string cut(std::string text) {
        if (text.size() > longest_line) { text = text.substr(0, longest_line - 3) + "..."; }
        return text;
    }
    void draw_rank(std::size_t r) {
        append(body_, "<text x=\"{:.0f}\" y=\"{:.0f}\" class=\"h\">rank {}</text>\n",
               x_of(r) + box_width / 2, top - 14, r);
        auto const& p = shown_.ranks[r];
        for (std::size_t n = 0; n < p.program.size(); ++n) {
            if (is_drawn(p.program[n])) { draw_box({r, n}); }
        }
    }
    void draw_box(mark me) {
        auto const& p = shown_.ranks[me.first];
        auto const& i = at(me);
        auto const x = x_of(me.first), y = y_of(rows_[me.first][me.second]);
        auto const waits = i.what == plans::opcode::wait;
        auto const adds = i.what == plans::opcode::reduce;
        auto const moves = adds || i.what == plans::opcode::copy;
        auto const* const fill = adds ? palette::complete : moves ? "#deebf8" : "#ffffff";
        append(body_,
               "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"4\" "
               "fill=\"{}\" stroke=\"{}\"{}/>\n",
               x, y, box_width, box_height, fill, waits ? palette::line : palette::quiet,
               waits ? " stroke-dasharray=\"3 3\"" : "");
        auto const below = operands(p, i);
        append(body_, "<text x=\"{:.0f}\" y=\"{:.0f}\" class=\"{}\">{}</text>\n", x + 8,
               y + (below.empty() ? 21 : 14), waits ? "q" : "b", escaped(words(headline(p, i))));
        if (!below.empty()) {
            append(body_, "<text x=\"{:.0f}\" y=\"{:.0f}\" class=\"q\">{}</text>\n", x + 8, y + 28,
                   escaped(cut(below)));
        }
        for (auto const& from : origin_[me]) { arrow(from, me, adds); }
        for (int k = i.destinations.first; k < i.destinations.last; ++k) {
            auto const peer = p.destinations[index(k)].to.peer;
            if (peer >= 0) { pushed(me, index(peer)); }
        }
    }
    /// One space between words.
    static std::string words(std::string const& text) {
        std::string out;
        for (char const c : text) {
            if (c != ' ' || out.empty() || out.back() != ' ') { out += c; }
        }
        return out;
    }
    void arrow(mark from, mark to, bool adds) {
        auto const forward = to.first > from.first;
        line(x_of(from.first) + (forward ? box_width : 0),
             y_of(rows_[from.first][from.second]) + box_height / 2,
             x_of(to.first) + (forward ? 0 : box_width),
             y_of(rows_[to.first][to.second]) + box_height / 2, adds);
    }
    void pushed(mark from, std::size_t peer) {
        auto const forward = peer > from.first;
        auto const y = y_of(rows_[from.first][from.second]) + box_height / 2;
        line(x_of(from.first) + (forward ? box_width : 0), y,
             x_of(peer) + (forward ? 0 : box_width), y + row / 2, false);
    }
    void line(double x0, double y0, double x1, double y1, bool adds) {
        auto const bend = (x1 - x0) / 2;
        auto const* const kind = adds ? "add" : "copy";
        append(arrows_,
               "<path d=\"M{:.1f},{:.1f} C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" "
               "class=\"{}\" marker-end=\"url(#{})\"/>\n",
               x0, y0, x0 + bend, y0, x1 - bend, y1, x1, y1, kind, kind);
    }

    std::string head(double width, double height) const {
        auto out = svg_begin(shown_.title, width, height,
                             "Each column is a rank, with the instructions of its plan; time goes "
                             "down.",
                             ".b{font-size:12px;font-weight:bold}.q{font-size:11px}"
                             ".h{text-anchor:middle}");
        append(
            out,
            "<text x=\"28\" y=\"64\" class=\"s\">A box is an instruction. Arrows go from where a "
            "value is published or sent to the box that adds it (red) or copies it "
            "(green).</text>\n"
            "<text x=\"28\" y=\"82\" class=\"s\">{} Rank 0 reads {} of its peers, "
            "sends {}, stages {}.</text>\n",
            shown_.proof.ok ? "Proved correct." : "WRONG.", human_bytes(shown_.traffic[0].read),
            human_bytes(shown_.traffic[0].sent), human_bytes(shown_.traffic[0].staged));
        return out;
    }

    plan_report const& shown_;
    std::vector<std::vector<int>> rows_;  // of each instruction
    int last_row_ = 0;
    std::map<std::pair<std::size_t, std::size_t>, mark> published_;  // last waited for: by, of
    std::map<mark, std::vector<mark>> origin_;
    std::string body_, arrows_;
};

}  // namespace

std::string as_svg(plan_report const& shown) { return plan_drawing(shown).draw(); }

}  // namespace coll_show
