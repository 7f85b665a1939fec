// SPDX-License-Identifier: BSD-3-Clause
// Prints the tables. Every column has its unit in the header.
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainer {

void print_heading(std::string_view heading, std::string_view explanation) {
    fmt::print("\n{}\n{:─<{}}\n{}\n\n", heading, "", 100, explanation);
}

void print_fast_header() {
    fmt::print("{:<12}{:>7}{:>8}{:>12}{:>12}{:>11}{:>9}{:>10}{:>11}{:>8}\n", "", "", "step",
               "all-reduce", "bytes sent,", "bytes by", "lower", "test", "gap to one", "ranks");
    fmt::print("{:<12}{:>7}{:>8}{:>12}{:>12}{:>11}{:>9}{:>10}{:>11}{:>8}\n", "algorithm", "rounds",
               "us", "us", "counted", "formula", "bound x", "accuracy", "process", "equal");
}

void print_fast_row(row const& r, int ranks, int steps) {
    auto const p = static_cast<double>(ranks);
    auto const sent = static_cast<double>(r.fast.sent) / steps;
    auto const bound = 2 * static_cast<double>(parameter_count * sizeof(float)) * (p - 1) / p;
    fmt::print("{:<12}{:>7}{:>8.0f}{:>12.0f}{:>12.0f}{:>11}{:>9.2f}{:>10.4f}{:>11.1e}{:>8}\n",
               coll::name(r.algorithm), r.theory.rounds, r.fast.step_seconds * 1e6,
               r.fast.all_reduce_seconds * 1e6, sent, r.sent_by_formula(), sent / bound,
               r.fast.accuracies.back(), r.largest_gap, r.fast.ranks_agree ? "yes" : "NO");
    std::fflush(stdout);
}

void print_slow_header() {
    fmt::print("{:<12}{:>7}{:>14}{:>14}{:>14}\n", "", "", "bytes in", "step,", "step,");
    fmt::print("{:<12}{:>7}{:>14}{:>14}{:>14}\n", "algorithm", "rounds", "sequence",
               "predicted ms", "measured ms");
}

void print_slow_row(row const& r, double bytes_per_second, double longest_seconds) {
    auto const filled = 36 * r.slow.step_seconds / longest_seconds;
    fmt::print("{:<12}{:>7}{:>14}{:>14.2f}{:>14.2f}  {:█<{}}\n", coll::name(r.algorithm),
               r.theory.rounds, r.theory.critical.bytes * sizeof(float),
               r.predicted_seconds(bytes_per_second) * 1e3, r.slow.step_seconds * 1e3, "",
               std::clamp(static_cast<int>(filled + 0.5), 1, 48));
    std::fflush(stdout);
}

void print_learning_curves(outcome const& alone, outcome const& together, int ranks) {
    auto const epochs = alone.accuracies.size();
    std::vector<std::size_t> shown;
    for (std::size_t epoch : {1U, 2U, 5U, 10U, 20U, 50U, 100U}) {
        if (epoch < epochs) { shown.push_back(epoch); }
    }
    shown.push_back(epochs);
    auto const print_line = [&](std::string const& label, outcome const& training) {
        fmt::print("{:<22}", label);
        for (auto const epoch : shown) { fmt::print("{:>9.4f}", training.accuracies[epoch - 1]); }
        fmt::print("\n");
    };
    fmt::print("{:<22}", "after epoch");
    for (auto const epoch : shown) { fmt::print("{:>9}", epoch); }
    fmt::print("\n");
    print_line("one process", alone);
    print_line(fmt::format("{} ranks, ring", ranks), together);
}

void checks::expect(bool holds, std::string const& what) {
    fmt::print("  {}  {}\n", holds ? "ok    " : "FAILED", what);
    broken_ += holds ? 0 : 1;
}

}  // namespace trainer
