// SPDX-License-Identifier: BSD-3-Clause
// The rounds as text: the table of partial sums, or what happens in them where it is too large.
#pragma once

#include <collectives/schedule/drawing/describe.hpp>
#include <collectives/schedule/drawing/pattern.hpp>
#include <collectives/schedule/drawing/picture_report.hpp>
#include <collectives/schedule/drawing/replay.hpp>
#include <collectives/schedule/drawing/rounds_table.hpp>
#include <collectives/schedule/drawing/text_style.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

namespace collectives::inline v0::drawing {

namespace text_table {

inline std::string table_legend(report const& shown, cells form) {
    std::string text =
        form == cells::sets
            ? "Whose contributions each rank holds (0..2 is 0, 1 and 2; . is nothing)."
            : "How many contributions each rank holds in each chunk (. is nothing).";
    bool const adds = reduces(shown.what);
    text +=
        adds ? "\n+ added to in this round, = copied into; " : "\n= copied into in this round; ";
    text += "in brackets: passed on, and not looked at again.\n";
    if (shown.what == collective::all_to_all) {
        text += "The table is of the output; what is sent is a block of the input.\n";
    }
    return text;
}

/// `then a value holds 1 to 256 of the contributions; 256 of 65536 values are complete`.
inline std::string state(replay const& values) {
    int least = std::numeric_limits<int>::max();
    int most = 0;
    int complete = 0;
    for (int r = 0; r < values.size(); ++r) {
        for (int c = 0; c < values.chunks(); ++c) {
            int const held = values.at(r, c).held.count();
            least = std::min(least, held);
            most = std::max(most, held);
            complete += values.complete(r, c) ? 1 : 0;
        }
    }
    return filled("then a value holds {} of the contributions; {} of {} values are complete",
                  least == most ? filled("{}", most) : filled("{} to {}", least, most), complete,
                  values.size() * values.chunks());
}

/// Two lines for each run of rounds that look alike.
inline std::string summary(report const& shown) {
    replay values(shown.schedules);
    auto const says = [&](int r) { return describe(values, r); };
    std::string out;
    for (int first = 0; first < values.rounds();) {
        auto const what = says(first);
        int last = first;
        while (last + 1 < values.rounds() && says(last + 1) == what) { ++last; }
        while (values.round() < last) { values.advance(); }
        auto const rounds =
            first == last ? filled("round {}", first) : filled("rounds {}..{}", first, last);
        put(out, "  {} {}\n  {}   {}\n", padded(rounds, 16), what, padded("", 16), state(values));
        first = last + 1;
    }
    return out;
}

}  // namespace text_table

/// Title, legend and table; the table in full, with counts, or summarised, whichever fits the
/// style. `dashes` stand before the names of the style's options in what the text says.
inline std::string rounds_text(report const& shown, text_style const& style,
                               std::string_view dashes) {
    using text_table::cells, text_table::gap;
    int const chunks = shown.schedules[0].chunks;
    auto const title = filled("{}, {}, {}\n\n", shown.title(), counted(chunks, part_of(shown.what)),
                              counted(shown.cost.rounds, "round"));
    for (auto const form : {cells::sets, cells::counts}) {
        if (shown.size > style.most_ranks && !style.full) { break; }
        auto const w = text_table::measure(shown, form, style.full ? 1 << 30 : style.width);
        int const wide = w.rank + chunks * (w.cell + gap) + gap + w.sends;
        if (wide > style.width && !style.full) { continue; }
        auto text = title + text_table::table_legend(shown, form) + "\n" +
                    text_table::table(shown, form, w, style.color);
        if (form == cells::counts) {
            put(text,
                "\nThe ranks' names do not fit into {} columns: {}width or {}full shows them.\n",
                style.width, dashes, dashes);
        }
        return text;
    }
    auto const lines = text_table::summary(shown);
    return title + filled(
                       "{} ranks x {} chunks: a table too large to read, so round by round what "
                       "happens ({}full shows it all).\n\n{}",
                       shown.size, chunks, dashes, lines.empty() ? "  nothing moves\n" : lines);
}

}  // namespace collectives
