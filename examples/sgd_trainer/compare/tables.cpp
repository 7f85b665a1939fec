// SPDX-License-Identifier: BSD-3-Clause
// Prints the tables. Every column has its unit in the header.
#include "tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainer {

void print_heading(std::string_view heading, std::string_view explanation) {
    fmt::print("\n{}\n{:─<{}}\n{}\n\n", heading, "", 100, explanation);
}

void print_fast_header() {
    fmt::print("{:<12}{:>6}  {:>21}  {:>27}  {:>9}{:>13}{:>7}\n", "", "", "time per step, us",
               "bytes sent per step", "accuracy", "gap to", "ranks");
    fmt::print("{:<12}{:>6}  {:>9}{:>12}  {:>9}{:>9}{:>9}  {:>9}{:>13}{:>7}\n", "algorithm",
               "rounds", "whole", "all-reduce", "counted", "formula", "/ bound", "in test",
               "one process", "equal");
}

void print_fast_row(row const& r, int ranks, int counted_steps, std::size_t vector_bytes) {
    auto const p = static_cast<double>(ranks);
    auto const sent = static_cast<double>(r.counted.sent) / counted_steps;
    auto const bound = 2 * static_cast<double>(vector_bytes) * (p - 1) / p;
    fmt::print("{:<12}{:>6}  {:>9.0f}{:>12.0f}  {:>9.0f}{:>9}{:>9.2f}  {:>9.4f}{:>13.1e}{:>7}\n",
               coll::name(r.algorithm), r.theory.rounds, r.fast.step_seconds * 1e6,
               r.fast.all_reduce_seconds * 1e6, sent, r.sent_by_formula(), sent / bound,
               r.fast.accuracies.back(), r.largest_gap, r.fast.ranks_agree ? "yes" : "NO");
    std::fflush(stdout);
}

void print_slow_header() {
    fmt::print("{:<12}{:>6}  {:>9}  {:>21}\n", "", "", "bytes in", "time per step, ms");
    fmt::print("{:<12}{:>6}  {:>9}  {:>10}{:>11}\n", "algorithm", "rounds", "sequence", "predicted",
               "measured");
}

void print_slow_row(row const& r, double bytes_per_second, double longest_seconds) {
    auto const filled = 44 * r.slow.step_seconds / longest_seconds;
    fmt::print("{:<12}{:>6}  {:>9}  {:>10.2f}{:>11.2f}  {:█<{}}\n", coll::name(r.algorithm),
               r.theory.rounds, r.theory.critical.bytes * sizeof(float),
               r.predicted_seconds(bytes_per_second) * 1e3, r.slow.step_seconds * 1e3, "",
               std::clamp(static_cast<int>(filled + 0.5), 1, 55));
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
