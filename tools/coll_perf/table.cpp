// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

#include "host.hpp"

#include <fmt/format.h>

#include <iterator>

namespace coll_perf {
namespace {

template <class... Arguments>
void append(std::string& out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
}

/// A number in as many characters as nccl-tests gives it.
std::string number(double value) {
    if (value >= 10000) { return fmt::format("{:.0f}", value); }
    return fmt::format("{:.{}f}", value, value >= 100 ? 1 : value >= 1 ? 2 : 3);
}

across_launches of(std::map<std::string, std::vector<measurement const*>> const& by_program,
                   std::string const& name) {
    auto const found = by_program.find(name);
    return found == by_program.end() ? across_launches{} : combine(found->second);
}

std::string figures_of(across_launches const& a, table_row const& row, table_style const& style) {
    if (a.launches == 0) {
        return fmt::format("{:>10}{:>8}{:>8}{:>8}", "N/A", "N/A", "N/A", "N/A");
    }
    auto const time = a.time_by(style.average);
    auto const algbw = time > 0 ? static_cast<double>(row.what.bytes()) / time : 0;
    return fmt::format("{:>10}{:>8}{:>8}{:>8}", number(time / 1000), number(algbw),
                       number(algbw * bus_factor(row.what.collective, row.how.ranks)),
                       row.how.check ? fmt::format("{}", a.wrong) : "N/A");
}

/// Of the forms that were measured the first: out of place, else in place.
across_launches either(table_row const& row, std::string const& name) {
    auto const out = of(row.out_of_place, name);
    return out.launches > 0 || !row.in_place.contains(name) ? out : of(row.in_place, name);
}

bool is_started(table_row const& row) { return kind::of(row.what.collective).how == form::started; }

std::string peer_figures(table_row const& row, std::string const& peer) {
    auto const theirs = either(row, peer);
    if (theirs.launches == 0) {
        return fmt::format("{:>{}}", theirs.note.empty() ? "N/A" : theirs.note,
                           is_started(row) ? 27 : 18);
    }
    auto const ours = either(row, row.transport);
    auto text = fmt::format("{:>10}{:>8}", number(theirs.median / 1000),
                            ours.launches == 0 ? "N/A" : number(ours.median / theirs.median));
    if (is_started(row)) { append(text, "{:>9.1f}", theirs.overlap); }
    return text;
}

std::string limit_figures(table_row const& row) {
    auto const a = either(row, row.transport);
    auto const percent = a.median > 0 ? 100 * a.limit / a.median : 0;
    return fmt::format("{:>10}{:>10}{:>10}{:>8}{:>8}", number(a.copy / 1000),
                       number(a.copy_past_cache / 1000), number(a.round_trip / 1000),
                       number(percent), a.dropped);
}

/// `text`, where it is known.
std::string known(bool is, double value, std::string (*text)(double)) {
    return is ? text(value) : "N/A";
}

std::string bound_figures(table_row const& row) {
    auto const a = either(row, row.transport);
    auto const whole = [](double value) { return fmt::format("{:.0f}", value); };
    auto const percent = a.median > 0 ? 100 * a.bound / a.median : 0;
    bool const has_bound = a.launches > 0 && a.bound > 0;
    return fmt::format("{:>12}{:>10}{:>8}{:>10}{:>8}",
                       known(a.launches > 0 && a.moved.sent >= 0, a.moved.sent, whole),
                       known(a.launches > 0 && a.moved.messages >= 0, a.moved.messages, whole),
                       known(a.launches > 0 && a.moved.link > 0, a.moved.link, number),
                       known(has_bound, a.bound / 1000, number), known(has_bound, percent, number));
}

std::string loop_figures(table_row const& row) {
    auto const a = either(row, row.transport);
    bool const has = a.launches > 0 && a.loop > 0;
    return fmt::format("{:>10}{:>8}", known(has, a.loop / 1000, number),
                       known(has, has ? 100 * a.loop / a.median : 0, number));
}

std::string overlap_figures(table_row const& row) {
    auto const a = either(row, row.transport);
    if (a.launches == 0) { return fmt::format("{:>10}{:>10}{:>9}", "N/A", "N/A", "N/A"); }
    return fmt::format("{:>10}{:>10}{:>9.1f}", number(a.whole / 1000), number(a.work / 1000),
                       a.overlap);
}

/// Why a form of a row has no figures; empty where all have.
std::string reason_of(table_row const& row) {
    for (auto const* const form : {&row.out_of_place, &row.in_place}) {
        auto const a = of(*form, row.transport);
        if (a.launches == 0 && !a.note.empty()) { return "  # " + a.note; }
    }
    return "";
}

/// Bandwidth is what the OSU benchmarks tell of many messages.
bool tells_bandwidth(table_row const& row) {
    auto const how = kind::of(row.what.collective).how;
    return how == form::one_way || how == form::both_ways;
}

std::string osu_line(table_row const& row) {
    auto const a = either(row, row.transport);
    auto const size = osu_size(row.what, row.how.ranks);
    if (tells_bandwidth(row) && a.launches > 0) {
        auto const ways = bus_factor(row.what.collective, row.how.ranks);
        return fmt::format("{:<12}{:>18.2f}\n", size, 1000 * ways * a.algbw(row.what.bytes()));
    }
    if (a.launches == 0) {
        return fmt::format("{:<12}{:>18}{:>18}{:>18}{:>12}{}\n", size, "N/A", "N/A", "N/A", "N/A",
                           reason_of(row));
    }
    auto line =
        fmt::format("{:<12}{:>18.2f}{:>18.2f}{:>18.2f}{:>12}{:>12.2f}{:>12.2f}{:>12.2f}", size,
                    a.over_ranks[1] / 1000, a.over_ranks[2] / 1000, a.over_ranks[3] / 1000,
                    a.time.samples * static_cast<std::size_t>(row.what.batch), a.time.median / 1000,
                    a.time.p95 / 1000, a.time.p99 / 1000);
    if (is_started(row)) {
        append(line, "{:>14.2f}{:>14.2f}{:>14.2f}", a.whole / 1000, a.work / 1000, a.overlap);
    }
    return line + "\n";
}

std::string nccl_heading(table_row const& row, table_style const& style) {
    std::string first = fmt::format("#{:>11}{:>14}{:>16}{:>18}{:>6}  {:>32}  {:>32}", "", "", "",
                                    "", "", "out-of-place          ", "in-place            ");
    std::string second =
        fmt::format("#{:>11}{:>14}{:>16}{:>18}{:>6}", "size", "count", "type", "redop", "root");
    std::string third =
        fmt::format("#{:>11}{:>14}{:>16}{:>18}{:>6}", "(B)", "(elements)", "", "", "");
    for (int i = 0; i < 2; ++i) {
        append(second, "  {:>10}{:>8}{:>8}{:>8}", "time", "algbw", "busbw", "#wrong");
        append(third, "  {:>10}{:>8}{:>8}{:>8}", "(us)", "(GB/s)", "(GB/s)", "");
    }
    if (style.spread) {
        append(second, "{:>8}", "spread");
        append(third, "{:>8}", "");
    }
    if (is_started(row)) {
        append(second, "{:>10}{:>10}{:>9}", "whole", "work", "overlap");
        append(third, "{:>10}{:>10}{:>9}", "(us)", "(us)", "(%)");
    }
    if (style.limit) {
        append(second, "{:>10}{:>10}{:>10}{:>8}{:>8}", "copy", "copy-nt", "trip", "%limit",
               "dropped");
        append(third, "{:>10}{:>10}{:>10}{:>8}{:>8}", "(us)", "(us)", "(us)", "", "");
    }
    if (style.bound) {
        append(second, "{:>12}{:>10}{:>8}{:>10}{:>8}", "sent", "messages", "link", "bound",
               "%bound");
        append(third, "{:>12}{:>10}{:>8}{:>10}{:>8}", "(B)", "", "(GB/s)", "(us)", "");
    }
    if (style.loop) {
        append(second, "{:>10}{:>8}", "loop", "%loop");
        append(third, "{:>10}{:>8}", "(us)", "");
    }
    for (auto const& peer : style.peers) {
        append(second, "  {:>10}{:>8}", peer, "ours/");
        append(third, "  {:>10}{:>8}", "(us)", peer.substr(0, 7));
        if (is_started(row)) {
            append(second, "{:>9}", "overlap");
            append(third, "{:>9}", "(%)");
        }
    }
    return fmt::format(
               "# {}, {}, {} over {} ranks, {} memory{}{}\n", row.transport, row.what.collective,
               row.what.algorithm, row.how.ranks, row.how.allocated ? "allocated" : "private",
               row.how.cold    ? ", cold"
               : row.how.touch ? ", touched"
                               : "",
               row.how.offset == 0 ? "" : fmt::format(", {} bytes after a page", row.how.offset)) +
           first + "\n" + second + "\n" + third + "\n";
}

}  // namespace

std::string table_heading(table_row const& row, table_style const& style) {
    if (style.format == table_format::nccl) { return nccl_heading(row, style); }
    if (tells_bandwidth(row)) {
        return fmt::format("# {}, {} over {} ranks\n{:<12}{:>18}\n", row.transport,
                           row.what.collective, row.how.ranks, "# Size", "Bandwidth (MB/s)");
    }
    auto text = fmt::format(
        "# {}, {}, {} over {} ranks: mean of each rank's samples; percentiles of the slowest rank\n"
        "{:<12}{:>18}{:>18}{:>18}{:>12}{:>12}{:>12}{:>12}",
        row.transport, row.what.collective, row.what.algorithm, row.how.ranks, "# Size",
        "Avg Latency(us)", "Min Latency(us)", "Max Latency(us)", "Iterations", "P50(us)", "P95(us)",
        "P99(us)");
    if (is_started(row)) {
        append(text, "{:>14}{:>14}{:>14}", "Overall(us)", "Compute(us)", "Overlap(%)");
    }
    return text + "\n";
}

std::size_t osu_size(measured_case const& c, int ranks) {
    return states_block(kind::of(c.collective).like) ? c.bytes() / static_cast<std::size_t>(ranks)
                                                     : c.bytes();
}

std::string table_line(table_row const& row, table_style const& style) {
    if (style.format == table_format::osu) { return osu_line(row); }
    auto const out = of(row.out_of_place, row.transport);
    auto const in = of(row.in_place, row.transport);
    auto line = fmt::format("{:>12}{:>14}{:>16}{:>18}{:>6}  {}  {}", row.what.bytes(),
                            row.what.count, row.what.type, row.what.shown_op(), row.what.root,
                            figures_of(out, row, style), figures_of(in, row, style));
    if (style.spread) { append(line, "{:>8}", number(either(row, row.transport).spread)); }
    if (is_started(row)) { line += overlap_figures(row); }
    if (style.limit) { line += limit_figures(row); }
    if (style.bound) { line += bound_figures(row); }
    if (style.loop) { line += loop_figures(row); }
    for (auto const& peer : style.peers) { line += "  " + peer_figures(row, peer); }
    if (style.stamps) { append(line, "  {}", date_now()); }
    return line + reason_of(row) + "\n";
}

std::string table_footer(std::vector<measurement> const& all, int repeated) {
    auto const [wrong, dropped, checked, busbw] = totals_of(all);
    auto out = fmt::format("# Out of bounds values : {} {}\n", wrong,
                           wrong > 0 ? "FAILED"
                           : checked ? "OK"
                                     : "(not checked)");
    append(out, "# Avg bus bandwidth    : {}\n", number(busbw));
    if (!all.empty() && all.front().how.ranks == 1) {
        out += "# With 1 rank nothing crosses a bus: busbw is 0.\n";
    }
    if (dropped > 0) {
        append(out,
               "# Thrown away          : {} samples whose controls moved by more than {:.1f}\n",
               dropped, steady_within);
    }
    if (repeated > 0) {
        append(
            out,
            "# Launched again       : {} times, as launches met the cores at different distances\n",
            repeated);
    }
    return out;
}

}  // namespace coll_perf
