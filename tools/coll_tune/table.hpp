// SPDX-License-Identifier: BSD-3-Clause
// What each rank of coll_tune does; rank 0 prints.
#pragma once

#include "../algorithms.hpp"

#include <collectives/collectives.hpp>
#include <collectives/select/model_text.hpp>
#include <collectives/tune.ipp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace tune {

namespace coll = collectives;

inline constexpr int most_tries = 8;  // to find the cores at one distance

struct range {
    std::size_t first = 4, last = 16 << 20;  // bytes, in steps of 4
};

inline double median(std::vector<double> v) {
    auto const middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
    std::nth_element(v.begin(), middle, v.end());
    return v.empty() ? 0 : *middle;
}

/// Of each algorithm, the median of its times in seconds. They take turns, so that a machine's
/// moods meet all alike.
inline std::vector<double> times_of_all(coll::communicator& comm,
                                        std::vector<coll::any_algorithm> const& algorithms,
                                        std::size_t bytes) {
    std::vector<float> in(bytes / sizeof(float), 1.0F), out(in.size());
    std::vector<std::vector<double>> times(algorithms.size());
    for (int turn = 0; turn < 5; ++turn) {
        for (std::size_t i = 0; i < times.size(); ++i) {
            auto const [seconds] = coll::detail::seconds_of(
                comm, {.seconds = 1, .in_a_row = 2e-3},
                [&] { comm.all_reduce(in, out, coll::sum{}, {.algorithm = algorithms[i]}); });
            times[i].push_back(seconds);
        }
    }
    std::vector<double> medians;
    for (auto const& of_one : times) { medians.push_back(median(of_one)); }
    return medians;
}

/// How far the cores are from each other, as the time of a barrier in seconds; a virtual machine's
/// may move. The same on all ranks. 0 where ranks share cores: then it tells more of the scheduler.
inline double distance(coll::communicator& comm) {
    if (comm.size() > comm.model().processors) { return 0; }
    auto const [seconds] = coll::detail::seconds_of(
        comm, {.seconds = 1e-3, .in_a_row = 0.2e-3, .core_each = true}, [&] { comm.barrier(); });
    return seconds;
}
inline bool is_same_distance(double a, double b) { return a <= 1.5 * b && b <= 1.5 * a; }

/// When prices were measured: how far the cores were, and how long it took.
struct tuning {
    double distance = 0;  // see there
    std::chrono::duration<double, std::milli> taken{};
};

/// Measures the prices, until the cores are as far afterwards as before.
inline tuning tune_here(coll::communicator& comm) {
    auto before = distance(comm);
    for (int tries = 1;; ++tries) {
        auto const start = coll::steady::now();
        coll::tune(comm);
        auto const taken = coll::steady::now() - start;
        auto const after = distance(comm);
        if (is_same_distance(before, after) || tries == most_tries) { return {after, taken}; }
        before = after;
    }
}

/// One line per size: each algorithm's time, measured and predicted, and what `automatic` loses
/// against the quickest. Where the cores have moved since the prices were measured at the distance
/// `known`, prices and times are measured again; a size at which they never stay is not counted.
inline void compare(coll::communicator& comm, range sizes, double known) {
    auto const print = [&](std::string const& text) {
        if (comm.rank() == 0) { fmt::print("{}", text); }
    };
    auto const algorithms = known_algorithms(comm.size(), comm.rank() == 0);
    for (auto const a : algorithms) { expect_right(a, comm.size()); }
    print(fmt::format("\n{:>10}", "bytes"));
    for (auto const a : algorithms) { print(fmt::format(" {:>19}", a.name())); }
    print(fmt::format("  automatic takes\n{:>10}", ""));
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
        print(fmt::format(" {:>9} {:>9}", "us", "predicted"));
    }
    print("\n");
    std::vector<double> losses;
    int again = 0;
    for (auto bytes = sizes.first; bytes <= sizes.last; bytes *= 4) {
        auto times = times_of_all(comm, algorithms, bytes);
        auto now = distance(comm);
        for (int tries = 1; tries < most_tries && !is_same_distance(known, now); ++tries, ++again) {
            known = tune_here(comm).distance;
            times = times_of_all(comm, algorithms, bytes);
            now = distance(comm);
        }
        auto const said = comm.explain(bytes);
        double taken = 0;
        print(fmt::format("{:>10}", bytes));
        for (std::size_t i = 0; i < times.size(); ++i) {
            auto const a = algorithms[i];
            if (a == said.algorithm) { taken = times[i]; }
            auto const p = std::find_if(said.predictions.begin(), said.predictions.end(),
                                        [&](auto const& one) { return one.algorithm == a; });
            print(fmt::format(" {:>9.2f} {:>9.2f}", times[i] * 1e6, p->seconds * 1e6));
        }
        auto const loss = taken / *std::min_element(times.begin(), times.end()) - 1;
        if (is_same_distance(known, now)) { losses.push_back(loss); }
        print(fmt::format("  {}, {:.1f} % above the quickest{}\n", said.algorithm.name(),
                          100 * loss,
                          is_same_distance(known, now) ? "" : " (not counted: the cores moved)"));
    }
    if (again > 0) {
        print(fmt::format(
            "the cores moved: prices other than those above, measured again {} times\n", again));
    }
    if (losses.empty()) { return print("what the choice loses: the cores never stayed\n"); }
    print(fmt::format("what the choice loses: median {:.1f} %, at most {:.1f} %\n",
                      100 * median(losses), 100 * *std::max_element(losses.begin(), losses.end())));
}

inline void run(coll::communicator& comm, std::string const& file, bool check, range sizes) {
    auto const tuned = tune_here(comm);
    auto const& prices = comm.model();
    auto const text = fmt::format(
        "# seconds, measured over {} ranks on {} processors in {:.0f} ms\n{}", comm.size(),
        prices.processors, tuned.taken.count(), coll::detail::to_text(prices));
    if (comm.rank() == 0) {
        fmt::print("{}", text);
        if (!file.empty()) {
            auto* const out = std::fopen(file.c_str(), "w");
            auto const written = out != nullptr && std::fputs(text.c_str(), out) >= 0;
            if (out == nullptr || std::fclose(out) != 0 || !written) {
                throw std::runtime_error("cannot write " + file);
            }
        }
    }
    if (check) { compare(comm, sizes, tuned.distance); }
}

}  // namespace tune
