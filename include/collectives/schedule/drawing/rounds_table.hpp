// SPDX-License-Identifier: BSD-3-Clause
// The table of partial sums as text, round by round.
#pragma once

#include <collectives/schedule/drawing/describe.hpp>
#include <collectives/schedule/drawing/labels.hpp>
#include <collectives/schedule/drawing/pattern.hpp>
#include <collectives/schedule/drawing/picture_report.hpp>
#include <collectives/schedule/drawing/replay.hpp>

#include <algorithm>
#include <string>

namespace collectives::inline v0::drawing {

namespace text_table {

/// Names the ranks whose contributions a value holds, or says how many they are.
enum class cells { sets, counts };

inline constexpr int gap = 2;  // between columns

/// `0..2 +`: what a cell holds, and how it came by it in the last round.
inline std::string cell_text(replay const& values, int rank, int chunk, cells form) {
    auto const& cell = values.at(rank, chunk);
    auto text =
        form == cells::counts && !cell.held.empty() ? text_of(cell.held.count()) : label(cell.held);
    if (!cell.live && !cell.held.empty()) { text = "(" + text + ")"; }
    auto const changed = values.changed().find({rank, chunk});
    if (changed != values.changed().end()) { text += changed->second ? " +" : " ="; }
    return text;
}

/// Whether the rank sends chunk i to rank i, for every other i.
inline bool gives_each_its_own(replay const& values, int round, int rank) {
    int sent = 0;
    for (auto const& t : values.transfers(round)) {
        if (t.from != rank) { continue; }
        if (t.sent != chunk_range{t.to, 1} || t.sent != t.received) { return false; }
        ++sent;
    }
    return sent > 1 && sent == values.size() - 1;
}

/// `chunk 3 -> rank 1`, `chunks 0..3 -> ranks 1, 2; chunk 4 -> rank 5`.
inline std::string sends_text(replay const& values, int round, int rank) {
    std::string text;
    std::string last;
    if (gives_each_its_own(values, round, rank)) {
        return filled("{} i -> every other rank i", part_of(values.what()));
    }
    for (auto const& t : values.transfers(round)) {
        if (t.from != rank) { continue; }
        auto what = values.chunks() == 1
                        ? std::string()
                        : filled("{}{} {} ", part_of(values.what()), t.sent.count == 1 ? "" : "s",
                                 label(t.sent, values.chunks()));
        if (!(t.sent == t.received)) { what += "as " + label(t.received, values.chunks()) + " "; }
        if (!text.empty() && what == last) {
            put(text, ", {}", t.to);
        } else {
            put(text, "{}{}-> rank {}", text.empty() ? "" : "; ", what, t.to);
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

inline widths measure(report const& shown, cells form, int enough) {
    replay values(shown.schedules);
    widths result;
    result.rank = static_cast<int>(text_of("  rank ", values.size() - 1).size());
    result.cell = static_cast<int>(text_of("chunk ", values.chunks() - 1).size());
    if (form == cells::counts) { result.cell = 2; }
    auto const widen = [](int& width, std::string const& text) {
        width = std::max(width, static_cast<int>(text.size()));
    };
    while (true) {
        for (int r = 0; r < values.size(); ++r) {
            if (values.round() >= 0) { widen(result.sends, sends_text(values, values.round(), r)); }
            for (int c = 0; c < values.chunks(); ++c) {
                widen(result.cell, cell_text(values, r, c, form));
            }
        }
        if (values.round() + 1 == values.rounds() || result.cell * values.chunks() > enough) {
            break;
        }
        values.advance();
    }
    return result;
}

inline char const* color_of(replay const& values, int rank, int chunk) {
    auto const& cell = values.at(rank, chunk);
    if (!cell.live || cell.held.empty()) { return "\033[2m"; }
    if (values.complete(rank, chunk)) { return "\033[1;33m"; }
    return values.changed().count({rank, chunk}) != 0 ? "\033[1;34m" : "";
}

inline std::string table(report const& shown, cells form, widths const& w, bool color) {
    replay values(shown.schedules);
    std::string out;
    out += padded("", w.rank);
    for (int c = 0; c < values.chunks(); ++c) {
        auto const head = form == cells::counts  ? filled("{}", c)
                          : values.chunks() == 1 ? std::string("vector")
                                                 : filled("{} {}", part_of(values.what()), c);
        out += padded("", gap) + padded(head, w.cell);
    }
    while (out.back() == ' ') { out.pop_back(); }
    out += '\n';
    while (true) {
        int const round = values.round();
        put(out, "{}\n",
            round < 0 ? std::string("start")
                      : filled("round {}: {}", round, describe(values, round)));
        for (int r = 0; r < values.size(); ++r) {
            out += padded(filled("  rank {}", r), w.rank);
            for (int c = 0; c < values.chunks(); ++c) {
                auto const text = padded(cell_text(values, r, c, form), w.cell);
                auto const* const shade = color ? color_of(values, r, c) : "";
                put(out, "{}{}{}{}", padded("", gap), shade, text, *shade == '\0' ? "" : "\033[0m");
            }
            if (round >= 0) { out += padded("", gap) + sends_text(values, round, r); }
            while (!out.empty() && out.back() == ' ') { out.pop_back(); }
            out += '\n';
        }
        if (round + 1 == values.rounds()) { break; }
        values.advance();
    }
    return out;
}

}  // namespace text_table

}  // namespace collectives
