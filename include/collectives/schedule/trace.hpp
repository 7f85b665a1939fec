// SPDX-License-Identifier: BSD-3-Clause
// Writes traced steps as Chrome trace JSON, which Perfetto (ui.perfetto.dev) opens.
#pragma once

#include <collectives/core/text.hpp>
#include <collectives/schedule/trace_event.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace collectives::inline v0 {

namespace detail {

/// The row in which an event is drawn. Events of one row must not overlap, and a round has several
/// events at once.
struct trace_row {
    rank_t rank;
    bool sends;
    int number;
    int id() const { return 2 * number + (sends ? 0 : 1); }
    friend auto operator<=>(trace_row const&, trace_row const&) = default;
};

/// Gives each event, in the order of their starts, the first free row.
inline std::vector<trace_row> rows_of(std::span<trace_event const> events) {
    std::vector<std::size_t> order(events.size());
    for (std::size_t i = 0; i < order.size(); ++i) { order[i] = i; }
    // Then as they came; not by stable_sort, for libstdc++'s uses what the standard deprecates.
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::tie(events[a].begin_ns, a) < std::tie(events[b].begin_ns, b);
    });
    std::vector<trace_row> rows(events.size());
    std::map<trace_row, std::int64_t> free_from;
    for (std::size_t const i : order) {
        trace_event const& e = events[i];
        trace_row row{e.rank, e.action == verb::send, 0};
        for (auto at = free_from.find(row); at != free_from.end() && at->second > e.begin_ns;) {
            ++row.number;
            at = free_from.find(row);
        }
        free_from[row] = std::max(e.end_ns, e.begin_ns + 1);
        rows[i] = row;
    }
    return rows;
}

/// Numbers are spelt by text_of: a stream's locale might group their digits.
inline std::string microseconds(std::int64_t ns) {
    auto const digits = text_of(ns % 1000);
    return text_of(ns / 1000, ".", std::string(3 - digits.size(), '0'), digits);
}

inline std::string place(trace_row const& row, std::int64_t ns) {
    return text_of("\"pid\":", row.rank, ",\"tid\":", row.id(), ",\"ts\":", microseconds(ns));
}

inline std::string slice(trace_event const& e, trace_row const& row, std::int64_t start) {
    auto const duration = microseconds(std::max<std::int64_t>(e.end_ns - e.begin_ns, 1));
    return text_of("{\"ph\":\"X\",\"name\":\"", name(e.action),
                   e.action == verb::send ? " to " : " from ", e.peer, "\",\"cat\":\"",
                   name(e.what), "\",", place(row, e.begin_ns - start), ",\"dur\":", duration,
                   ",\"args\":{\"collective\":\"", name(e.what), "\",\"operation\":", e.operation,
                   ",\"round\":", e.round, ",\"segment\":", e.segment, ",\"peer\":", e.peer,
                   ",\"first_chunk\":", e.chunks.first, ",\"chunks\":", e.chunks.count,
                   ",\"bytes\":", e.bytes, "}}");
}

/// Ends of arrows: for each message, the index of its send and of its receive.
inline std::vector<std::array<std::size_t, 2>> messages_of(std::span<trace_event const> events) {
    using key = std::tuple<std::uint32_t, int, int, rank_t, rank_t>;
    std::map<key, std::array<std::vector<std::size_t>, 2>> ends;
    for (std::size_t i = 0; i < events.size(); ++i) {
        trace_event const& e = events[i];
        bool const sends = e.action == verb::send;
        ends[{e.operation, e.segment, e.round, sends ? e.rank : e.peer, sends ? e.peer : e.rank}]
            [sends ? 0 : 1]
                .push_back(i);
    }
    std::vector<std::array<std::size_t, 2>> result;
    for (auto const& [where, sides] : ends) {
        for (std::size_t k = 0; k < std::min(sides[0].size(), sides[1].size()); ++k) {
            result.push_back({sides[0][k], sides[1][k]});
        }
    }
    return result;
}

/// From the first step of an operation on a rank to its last.
struct operation_span {
    std::int64_t begin_ns, end_ns;
};
inline std::map<std::tuple<rank_t, std::uint32_t>, operation_span> spans_of(
    std::span<trace_event const> events) {
    std::map<std::tuple<rank_t, std::uint32_t>, operation_span> all;
    for (auto const& e : events) {
        auto& its = all.try_emplace({e.rank, e.operation}, operation_span{e.begin_ns, e.end_ns})
                        .first->second;
        its = {std::min(its.begin_ns, e.begin_ns), std::max(its.end_ns, e.end_ns)};
    }
    return all;
}

}  // namespace detail

/// Writes the events of any number of ranks: a process per rank, a slice per step, an arrow from
/// each send to its receive. Each rank's events stand in the order of its steps; times count from
/// the first. `names`, of operations by their numbers, stand in a row of their own, each as long as
/// the rank's steps of that operation; they hold no quotation mark, backslash or control character.
inline void write_chrome_trace(std::ostream& out, std::span<trace_event const> events,
                               std::map<std::uint32_t, std::string> const& names = {}) {
    std::int64_t start = 0;
    if (!events.empty()) {
        start = std::min_element(events.begin(), events.end(), [](auto const& a, auto const& b) {
                    return a.begin_ns < b.begin_ns;
                })->begin_ns;
    }
    auto const rows = detail::rows_of(events);
    char const* separator = "\n";
    auto const line = [&](auto const&... parts) {
        out << separator << text_of(parts...);
        separator = ",\n";
    };
    out << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    std::map<detail::trace_row, bool> named;
    for (auto const& row : rows) { named[row] = true; }
    rank_t previous = -1;
    for (auto const& [row, used] : named) {
        if (row.rank != std::exchange(previous, row.rank)) {
            line("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":", row.rank,
                 ",\"args\":{\"name\":\"rank ", row.rank, "\"}}");
        }
        line("{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":", row.rank, ",\"tid\":", row.id(),
             ",\"args\":{\"name\":\"", row.sends ? "sends\"}}" : "receives\"}}");
    }
    for (std::size_t i = 0; i < events.size(); ++i) {
        line(detail::slice(events[i], rows[i], start));
    }
    previous = -1;
    for (auto const& [key, span] : detail::spans_of(events)) {
        auto const [rank, operation] = key;
        auto const name = names.find(operation);
        if (name == names.end()) { continue; }
        auto const place = text_of(",\"pid\":", rank, ",\"tid\":1000000");
        if (rank != std::exchange(previous, rank)) {
            line("{\"ph\":\"M\",\"name\":\"thread_name\"", place,
                 ",\"args\":{\"name\":\"calls\"}}");
            line("{\"ph\":\"M\",\"name\":\"thread_sort_index\"", place,
                 ",\"args\":{\"sort_index\":-1}}");
        }
        line("{\"ph\":\"B\",\"name\":\"", name->second, "\"", place,
             ",\"ts\":", detail::microseconds(span.begin_ns - start), "}");
        line("{\"ph\":\"E\"", place, ",\"ts\":", detail::microseconds(span.end_ns - start), "}");
    }
    int arrow = 0;
    for (auto const& [from, to] : detail::messages_of(events)) {
        auto const id = text_of(",\"name\":\"message\",\"cat\":\"message\",\"id\":", arrow++);
        // An arrow starts and ends in the slice that holds its time.
        auto const left = events[from].begin_ns - start;
        auto const met = std::max(events[to].begin_ns, events[to].end_ns - 1) - start;
        line("{\"ph\":\"s\"", id, ",", detail::place(rows[from], left), "}");
        line("{\"ph\":\"f\",\"bp\":\"e\"", id, ",", detail::place(rows[to], met), "}");
    }
    out << "\n]}\n";
}

}  // namespace collectives
