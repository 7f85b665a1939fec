// SPDX-License-Identifier: BSD-3-Clause
// The table of partial sums, round by round.
#include "append.hpp"
#include "describe.hpp"
#include "text.hpp"

#include <algorithm>
#include <limits>

namespace coll_show {

namespace {

enum class cells { sets, counts };

constexpr int gap = 2;  // between columns

/// `0..2 +`: what a cell holds, and how it came by it in the last round.
std::string cell_text(simulation const& sim, int rank, int chunk, cells form) {
    auto const& cell = sim.at(rank, chunk);
    auto text = label(cell.held);
    if (form == cells::counts && !cell.held.empty()) {
        text = fmt::format("{}", cell.held.count());
    }
    if (!cell.live && !cell.held.empty()) { text = "(" + text + ")"; }
    auto const changed = sim.changed().find({rank, chunk});
    if (changed != sim.changed().end()) { text += changed->second ? " +" : " ="; }
    return text;
}

/// Whether the rank sends chunk i to rank i, for every other i.
bool gives_each_its_own(simulation const& sim, int round, int rank) {
    int sent = 0;
    for (auto const& t : sim.transfers(round)) {
        if (t.from != rank) { continue; }
        if (t.sent != coll::chunk_range{t.to, 1} || t.sent != t.received) { return false; }
        ++sent;
    }
    return sent > 1 && sent == sim.size() - 1;
}

/// `chunk 3 -> rank 1`, `chunks 0..3 -> ranks 1, 2; chunk 4 -> rank 5`.
std::string sends_text(simulation const& sim, int round, int rank) {
    std::string text;
    std::string last;
    if (gives_each_its_own(sim, round, rank)) {
        return fmt::format("{} i -> every other rank i", part_of(sim.what()));
    }
    for (auto const& t : sim.transfers(round)) {
        if (t.from != rank) { continue; }
        auto what = sim.chunks() == 1
                        ? std::string()
                        : fmt::format("{}{} {} ", part_of(sim.what()), t.sent.count == 1 ? "" : "s",
                                      label(t.sent, sim.chunks()));
        if (!(t.sent == t.received)) { what += "as " + label(t.received, sim.chunks()) + " "; }
        if (!text.empty() && what == last) {
            append(text, ", {}", t.to);
        } else {
            append(text, "{}{}-> rank {}", text.empty() ? "" : "; ", what, t.to);
        }
        last = what;
    }
    return text;
}

struct widths {
    int rank = 0;
    int cell = 0;
    int sends = 0;
};

widths measure(report const& shown, cells form, int enough) {
    simulation sim(shown.schedules);
    widths result;
    result.rank = static_cast<int>(fmt::formatted_size("  rank {}", sim.size() - 1));
    result.cell = static_cast<int>(fmt::formatted_size("chunk {}", sim.chunks() - 1));
    if (form == cells::counts) { result.cell = 2; }
    auto const widen = [](int& width, std::string const& text) {
        width = std::max(width, static_cast<int>(text.size()));
    };
    while (true) {
        for (int r = 0; r < sim.size(); ++r) {
            if (sim.round() >= 0) { widen(result.sends, sends_text(sim, sim.round(), r)); }
            for (int c = 0; c < sim.chunks(); ++c) {
                widen(result.cell, cell_text(sim, r, c, form));
            }
        }
        if (sim.round() + 1 == sim.rounds() || result.cell * sim.chunks() > enough) { break; }
        sim.advance();
    }
    return result;
}

char const* color_of(simulation const& sim, int rank, int chunk) {
    auto const& cell = sim.at(rank, chunk);
    if (!cell.live || cell.held.empty()) { return "\033[2m"; }
    if (sim.complete(rank, chunk)) { return "\033[1;33m"; }
    return sim.changed().count({rank, chunk}) != 0 ? "\033[1;34m" : "";
}

std::string table(report const& shown, cells form, widths const& w, bool color) {
    simulation sim(shown.schedules);
    std::string out;
    append(out, "{:{}}", "", w.rank);
    for (int c = 0; c < sim.chunks(); ++c) {
        auto const head = form == cells::counts ? fmt::format("{}", c)
                          : sim.chunks() == 1   ? std::string("vector")
                                                : fmt::format("{} {}", part_of(sim.what()), c);
        append(out, "{:{}}{:<{}}", "", gap, head, w.cell);
    }
    while (out.back() == ' ') { out.pop_back(); }
    out += '\n';
    while (true) {
        int const round = sim.round();
        append(out, "{}\n",
               round < 0 ? std::string("start")
                         : fmt::format("round {}: {}", round, describe(sim, round)));
        for (int r = 0; r < sim.size(); ++r) {
            append(out, "{:<{}}", fmt::format("  rank {}", r), w.rank);
            for (int c = 0; c < sim.chunks(); ++c) {
                auto const text = fmt::format("{:<{}}", cell_text(sim, r, c, form), w.cell);
                auto const* const shade = color ? color_of(sim, r, c) : "";
                append(out, "{:{}}{}{}{}", "", gap, shade, text, *shade == '\0' ? "" : "\033[0m");
            }
            if (round >= 0) { append(out, "{:{}}{}", "", gap, sends_text(sim, round, r)); }
            while (!out.empty() && out.back() == ' ') { out.pop_back(); }
            out += '\n';
        }
        if (round + 1 == sim.rounds()) { break; }
        sim.advance();
    }
    return out;
}

std::string legend(report const& shown, cells form) {
    std::string text =
        form == cells::sets
            ? "Whose contributions each rank holds (0..2 is 0, 1 and 2; . is nothing)."
            : "How many contributions each rank holds in each chunk (. is nothing).";
    bool const adds = coll::reduces(shown.what);
    text +=
        adds ? "\n+ added to in this round, = copied into; " : "\n= copied into in this round; ";
    text += "in brackets: passed on, and not looked at again.\n";
    if (shown.what == coll::collective::all_to_all) {
        text += "The table is of the output; what is sent is a block of the input.\n";
    }
    return text;
}

/// `then a value holds 1 to 256 of the contributions; 256 of 65536 values are complete`.
std::string state(simulation const& sim) {
    int least = std::numeric_limits<int>::max();
    int most = 0;
    int complete = 0;
    for (int r = 0; r < sim.size(); ++r) {
        for (int c = 0; c < sim.chunks(); ++c) {
            int const held = sim.at(r, c).held.count();
            least = std::min(least, held);
            most = std::max(most, held);
            complete += sim.complete(r, c) ? 1 : 0;
        }
    }
    return fmt::format(
        "then a value holds {} of the contributions; {} of {} values are complete",
        least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most), complete,
        sim.size() * sim.chunks());
}

/// Two lines for each run of rounds that look alike.
std::string summary(report const& shown) {
    simulation sim(shown.schedules);
    auto const says = [&](int r) { return describe(sim, r); };
    std::string out;
    for (int first = 0; first < sim.rounds();) {
        auto const what = says(first);
        int last = first;
        while (last + 1 < sim.rounds() && says(last + 1) == what) { ++last; }
        while (sim.round() < last) { sim.advance(); }
        auto const rounds = first == last ? fmt::format("round {}", first)
                                          : fmt::format("rounds {}..{}", first, last);
        append(out, "  {:<16} {}\n  {:<16}   {}\n", rounds, what, "", state(sim));
        first = last + 1;
    }
    return out;
}

}  // namespace

std::string rounds_as_text(report const& shown, text_style const& style) {
    if (shown.size <= style.most_ranks || style.full) {
        for (auto const form : {cells::sets, cells::counts}) {
            auto const w = measure(shown, form, style.full ? 1 << 30 : style.width);
            int const wide = w.rank + shown.schedules[0].chunks * (w.cell + gap) + gap + w.sends;
            if (wide > style.width && !style.full) { continue; }
            auto text = legend(shown, form) + "\n" + table(shown, form, w, style.color);
            if (form == cells::counts) {
                text += fmt::format(
                    "\nThe ranks' names do not fit into {} columns: --width or --full "
                    "shows them.\n",
                    style.width);
            }
            return text;
        }
    }
    auto const lines = summary(shown);
    return fmt::format(
        "{} ranks x {} chunks: a table too large to read, so round by round what "
        "happens (--full shows it all).\n\n{}",
        shown.size, shown.schedules[0].chunks,
        lines.empty() ? std::string("  nothing moves\n") : lines);
}

}  // namespace coll_show
