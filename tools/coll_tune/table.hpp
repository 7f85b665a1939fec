// SPDX-License-Identifier: BSD-3-Clause
// What each rank of coll_tune does; rank 0 prints.
#pragma once

#include <collectives/collectives.hpp>
#include <collectives/select/model_text.hpp>
#include <collectives/tune.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tune {

namespace coll = collectives;

struct range {
    std::size_t first = 4, last = 16 << 20;  // bytes, in steps of 4
};

inline double median(std::vector<double> v) {
    auto const middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
    std::nth_element(v.begin(), middle, v.end());
    return v.empty() ? 0 : *middle;
}

/// One line per size: each algorithm's time, measured and predicted, and what `automatic` loses
/// against the quickest. The candidates take turns, so that a machine's moods meet all alike.
template <class Comm>
void compare(Comm& comm, range sizes) {
    auto const print = [&](std::string const& text) {
        if (comm.rank() == 0) { fmt::print("{}", text); }
    };
    print(fmt::format("\n{:>10}", "bytes"));
    for (auto const a : coll::all_algorithms) { print(fmt::format(" {:>19}", a.name())); }
    print(fmt::format("  automatic takes\n{:>10}", ""));
    for (std::size_t i = 0; i < coll::all_algorithms.size(); ++i) {
        print(fmt::format(" {:>9} {:>9}", "us", "predicted"));
    }
    print("\n");
    std::vector<double> losses;
    for (auto bytes = sizes.first; bytes <= sizes.last; bytes *= 4) {
        std::vector<float> in(bytes / sizeof(float), 1.0F), out(in.size());
        std::vector<std::vector<double>> times(coll::all_algorithms.size());
        for (int turn = 0; turn < 5; ++turn) {
            for (std::size_t i = 0; i < times.size(); ++i) {
                auto const [seconds] =
                    coll::detail::seconds_of(comm, {.seconds = 1, .in_a_row = 2e-3}, [&] {
                        comm.all_reduce(in, out, coll::sum{},
                                        {.algorithm = coll::all_algorithms[i]});
                    });
                times[i].push_back(seconds);
            }
        }
        auto const said = comm.explain(bytes);
        auto best = median(times[0]);
        double taken = 0;
        print(fmt::format("{:>10}", bytes));
        for (std::size_t i = 0; i < times.size(); ++i) {
            auto const a = coll::all_algorithms[i];
            auto const measured = median(times[i]);
            best = std::min(best, measured);
            if (a == said.algorithm) { taken = measured; }
            auto const p = std::find_if(said.predictions.begin(), said.predictions.end(),
                                        [&](auto const& one) { return one.algorithm == a; });
            print(fmt::format(" {:>9.2f} {:>9.2f}", measured * 1e6, p->seconds * 1e6));
        }
        auto const loss = taken / best - 1;
        losses.push_back(loss);
        print(
            fmt::format("  {}, {:.1f} % above the quickest\n", said.algorithm.name(), 100 * loss));
    }
    print(fmt::format("what the choice loses: median {:.1f} %, at most {:.1f} %\n",
                      100 * median(losses), 100 * *std::max_element(losses.begin(), losses.end())));
}

template <class Comm>
void run(Comm& comm, std::string const& file, bool check, range sizes) {
    auto const start = coll::steady::now();
    auto const prices = coll::tune(comm);
    auto const ms = std::chrono::duration<double, std::milli>(coll::steady::now() - start).count();
    auto const text =
        fmt::format("# seconds, measured over {} ranks on {} processors in {:.0f} ms\n{}",
                    comm.size(), prices.processors, ms, coll::to_text(prices));
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
    if (check) { compare(comm, sizes); }
}

}  // namespace tune
