// SPDX-License-Identifier: BSD-3-Clause
#include "lecture.hpp"

#include "append.hpp"

#include <collectives/algorithm/all.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

namespace coll_show {
namespace {

namespace coll = collectives;

/// A row of the lectures' table for K ranks.
struct formula {
    coll::any_algorithm algorithm;
    std::string_view amount;
    double times_n;  ///< the amount is so many times n
    std::string_view frequency;
    double times;
};

std::array<formula, 4> lecture(int ranks) {
    double const k = ranks, l = std::log2(k);
    return {{{coll::star{}, "2n", 2, "2K", 2 * k},
             {coll::tree{}, "2n log2 K / K", 2 * l / k, "2 log2 K", 2 * l},
             {coll::butterfly{}, "n log2 K / K", l / k, "log2 K", l},
             {coll::ring{}, "n / K", 1 / k, "2(K - 1)", 2 * (k - 1)}}};
}

/// The counted amounts of an algorithm, in vectors of one rank.
struct counted_amounts {
    double sent = 0, received = 0;             ///< by the busiest rank
    double both_most = 0, both_least = 1e300;  ///< sent and received together
    int rounds = 0;
};

counted_amounts count(coll::any_algorithm a, int ranks) {
    auto const bytes = static_cast<std::size_t>(ranks) << 10;  // every chunk is a whole one
    auto const cost = a.cost_of(ranks, bytes);
    auto const vectors = [&](std::size_t n) {
        return static_cast<double>(n) / static_cast<double>(bytes);
    };
    counted_amounts of;
    of.sent = vectors(cost.busiest.sent);
    of.received = vectors(cost.busiest.received);
    of.rounds = cost.rounds;
    for (auto const& rank : cost.ranks) {
        auto const both = vectors(rank.sent + rank.received);
        of.both_most = std::max(of.both_most, both);
        of.both_least = std::min(of.both_least, both);
    }
    return of;
}

/// Which counted amount is so much; empty if none is.
std::string_view meaning(double amount, counted_amounts const& of) {
    std::array<std::pair<double, std::string_view>, 4> const known{
        {{of.sent, "what the busiest rank sends"},
         {of.both_most, "what the busiest rank sends and receives"},
         {of.both_least, "what the least busy rank sends and receives"},
         {of.sent / of.rounds, "what the busiest rank sends in a round, on average"}}};
    for (auto const& [value, words] : known) {
        if (std::abs(value - amount) < 1e-9 * amount) { return words; }
    }
    return {};
}

/// The cells of the table, the first line with the titles.
std::vector<std::vector<std::string>> cells(int ranks, std::string_view unit) {
    auto const vectors = [&](double n) { return fmt::format("{:.4g}{}", n, unit); };
    std::vector<std::vector<std::string>> all{{"algorithm", "amount", "if n = m", "if n = K m",
                                               "sent", "received", "both", "frequency", "that is",
                                               "rounds"}};
    for (auto const& row : lecture(ranks)) {
        auto const of = count(row.algorithm, ranks);
        all.push_back({std::string(row.algorithm.name()), std::string(row.amount),
                       vectors(row.times_n), vectors(row.times_n * ranks), vectors(of.sent),
                       vectors(of.received), vectors(of.both_most), std::string(row.frequency),
                       fmt::format("{:.4g}", row.times), fmt::format("{}", of.rounds)});
    }
    return all;
}

/// What each formula means, where n is m and where it is K m, and whether one of the two is right
/// throughout.
std::vector<std::string> meanings(int ranks) {
    std::vector<std::string> all;
    auto always_one = true, always_all = true;
    for (auto const& row : lecture(ranks)) {
        auto const of = count(row.algorithm, ranks);
        auto const if_one = meaning(row.times_n, of), if_all = meaning(row.times_n * ranks, of);
        auto const said = [](std::string_view words) {
            return words.empty() ? "nothing that is counted here" : words;
        };
        always_one = always_one && !if_one.empty();
        always_all = always_all && !if_all.empty();
        all.push_back(fmt::format("{}: if n = m, {} is {}; if n = K m, {}.", row.algorithm.name(),
                                  row.amount, said(if_one), said(if_all)));
    }
    if (!always_one && !always_all) {
        all.emplace_back("Neither meaning of n makes all of these amounts right.");
    }
    return all;
}

}  // namespace

std::string lecture_table(int ranks, table_format format) {
    auto const lines = cells(ranks, format == table_format::csv ? "" : " m");
    std::string out;
    if (format == table_format::csv) {
        for (auto const& line : lines) { append(out, "{}\n", fmt::join(line, ",")); }
        return out;
    }
    append(out,
           "All-reduce over K = {} ranks; m is the vector of one rank. The lectures' amount and\n"
           "frequency, beside what the busiest rank sends, receives, and both, and the rounds:\n\n",
           ranks);
    if (format == table_format::markdown) {
        for (auto const& line : lines) {
            append(out, "| {} |\n", fmt::join(line, " | "));
            if (&line == lines.data()) {
                for (std::size_t i = 0; i < line.size(); ++i) { out += "|---"; }
                out += "|\n";
            }
        }
    } else {
        for (auto const& line : lines) {
            append(out, "{:<11}{:<15}", line[0], line[1]);
            for (std::size_t i = 2; i < line.size(); ++i) { append(out, "{:>11}", line[i]); }
            out += '\n';
        }
    }
    out += '\n';
    auto const* const item = format == table_format::markdown ? "- " : "";
    for (auto const& text : meanings(ranks)) { append(out, "{}{}\n", item, text); }
    return out;
}

}  // namespace coll_show
