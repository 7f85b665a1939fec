// SPDX-License-Identifier: BSD-3-Clause
// The sizes, vectors, algorithms and ranks over which a fault is tried: other ones in every run.
#pragma once

#include <faults/harness.hpp>

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace faults {

/// One way to try a fault. `odd` is the rank that is at fault.
struct variant {
    int size;
    int odd;
    std::size_t count;
    coll::options how;

    std::string text() const {
        return std::to_string(size) + " ranks, rank " + std::to_string(odd) + " at fault, " +
               std::to_string(count) + " elements, " + std::string(coll::name(how.algorithm));
    }
};

inline std::mt19937& dice() {
    static std::mt19937 generator(std::random_device{}());
    return generator;
}
template <class T, std::size_t N>
T one_of(std::array<T, N> const& all) {
    return all[std::uniform_int_distribution<std::size_t>(0, N - 1)(dice())];
}
inline int below(int n) { return std::uniform_int_distribution(0, n - 1)(dice()); }

/// Vectors that fit in a cache line, a cell, some slots, and neither.
inline std::vector<variant> variety() {
    constexpr std::array<std::size_t, 4> counts{1, 10, 1000, 200'000};
    std::vector<variant> all;
    for (int i = 0; i < repeats(); ++i) {
        for (int const size : {2, 3, 5}) {
            auto const algorithm =
                below(3) == 0 ? coll::any_algorithm() : one_of(coll::all_algorithms);
            all.push_back(
                {size, below(size), one_of(counts), {.algorithm = algorithm, .timeout = 20s}});
        }
    }
    return all;
}

}  // namespace faults
