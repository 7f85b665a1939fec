// SPDX-License-Identifier: BSD-3-Clause
// Counted cost beside the lower bounds, and the proof's verdict.
#include "append.hpp"
#include "text.hpp"

#include <collectives/schedule/drawing/rounds.hpp>

#include <algorithm>

namespace coll_show {

namespace {

/// `1.50 n`: bytes as a multiple of one rank's vector.
std::string multiple(std::size_t amount, std::size_t bytes) {
    if (bytes == 0) { return "-"; }
    return fmt::format("{:.4g} n", static_cast<double>(amount) / static_cast<double>(bytes));
}

std::string ratio(cost_line const& line) {
    if (!line.has_bound) { return ""; }
    if (line.bound == 0) { return line.counted == 0 ? "1.00" : "-"; }
    return fmt::format("{:.2f}",
                       static_cast<double>(line.counted) / static_cast<double>(line.bound));
}

/// Whether an algorithm has fewer rounds than the bound, which needs an explanation.
bool beats_rounds(report const& r) { return r.cost.rounds < r.cost.bound.rounds; }

bool same(coll::traffic const& a, coll::traffic const& b) {
    return a.sent == b.sent && a.received == b.received && a.reduced == b.reduced;
}

/// Bytes of every rank, neighbours with equal figures in one line.
std::string per_rank(report const& shown, text_style const& style) {
    auto const& ranks = shown.cost.ranks;
    std::string out =
        fmt::format("  {:<14}{:>14}{:>14}{:>14}\n", "per rank", "sent", "received", "reduced");
    std::size_t lines = 0;
    std::size_t const most = style.full ? ranks.size() : 20;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t last = i;
        while (last + 1 < ranks.size() && same(ranks[last + 1], ranks[i])) { ++last; }
        if (++lines > most) {
            return out + fmt::format("  ranks {}..{} left out (--full shows them)\n", i,
                                     ranks.size() - 1);
        }
        auto const who =
            i == last ? fmt::format("rank {}", i) : fmt::format("ranks {}..{}", i, last);
        append(out, "  {:<14}{:>14}{:>14}{:>14}\n", who, ranks[i].sent, ranks[i].received,
               ranks[i].reduced);
        i = last + 1;
    }
    return out;
}

}  // namespace

std::string cost_as_text(report const& shown, report const* beside, text_style const& style) {
    std::string out = fmt::format("Cost with n = {} on each rank, counted from the steps\n\n",
                                  human_bytes(shown.bytes));
    append(out, "  {:>47}{:>10}{:>14}{:>7}", shown.name, "", "lower bound", "ratio");
    auto const room = beside == nullptr ? 0 : std::max<std::size_t>(14, beside->name.size() + 2);
    if (beside != nullptr) { append(out, "{:>{}}{:>10}{:>7}", beside->name, room, "", "ratio"); }
    out += '\n';
    auto const lines = cost_lines(shown);
    auto const others = beside == nullptr ? std::vector<cost_line>{} : cost_lines(*beside);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        auto const& line = lines[i];
        bool const is_bytes = i > 0;
        auto const share = [&](cost_line const& l) {
            return is_bytes ? multiple(l.counted, shown.bytes) : std::string();
        };
        append(out, "  {:<36}{:>11}{:>10}{:>14}{:>7}", line.name, line.counted, share(line),
               line.has_bound ? fmt::format("{}", line.bound) : "", ratio(line));
        if (beside != nullptr) {
            append(out, "{:>{}}{:>10}{:>7}", others[i].counted, room, share(others[i]),
                   ratio(others[i]));
        }
        while (out.back() == ' ') { out.pop_back(); }
        out += '\n';
    }
    out += "  (in sequence: in each round those of the busiest rank, added up over the rounds)\n";
    if (beats_rounds(shown) || (beside != nullptr && beats_rounds(*beside))) {
        out +=
            "  (the bound on rounds is for one message per rank and round; with fewer rounds, "
            "ranks "
            "send several)\n";
    }
    return out + "\n" + per_rank(shown, style);
}

std::string proof_as_text(report const& shown) {
    auto const& p = shown.proof;
    if (!p.ok) {
        auto text = fmt::format("Proof: WRONG: {}", p.what);
        if (p.rank >= 0) { text += fmt::format(", rank {}", p.rank); }
        if (p.round >= 0) { text += fmt::format(", round {}", p.round); }
        if (p.chunk >= 0) { text += fmt::format(", chunk {}", p.chunk); }
        return text + "\n";
    }
    auto out = fmt::format("Proof: correct. {}\n", proof_means(shown));
    for (auto const& property : properties(shown)) {
        append(out, "  {:<4}{:<24}{}\n", property.holds ? "yes" : "no", property.name,
               property.meaning);
    }
    return out;
}

std::string as_text(report const& shown, report const* beside, text_style const& style) {
    auto out = coll::drawing::rounds_text(shown, style, "--");
    out += '\n';
    out += cost_as_text(shown, beside, style);
    out += '\n';
    out += proof_as_text(shown);
    if (beside != nullptr) {
        append(out, "\n{}: {}", beside->name, beside->proof.ok ? "correct" : "WRONG");
        for (auto const& p : properties(*beside)) {
            append(out, ", {}{}", p.holds ? "" : "not ", p.name);
        }
        out += '\n';
    }
    return out;
}

}  // namespace coll_show
