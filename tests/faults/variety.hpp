// SPDX-License-Identifier: BSD-3-Clause
// The sizes, vectors, algorithms and ranks over which a fault is tried: other ones in every run.
#pragma once

#include <faults/harness.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace faults {

/// One way to try a fault.
struct variant {
    int size;
    int odd;  // the rank that is at fault
    std::size_t count;
    bool reachable;  // vector_of is in memory from allocate
    coll::options how;

    std::string text() const {
        return std::to_string(size) + " ranks, rank " + std::to_string(odd) + " at fault, " +
               std::to_string(count) + (reachable ? " reachable" : "") + " elements, " +
               std::string(coll::name(how.algorithm)) + ", segments of " +
               std::to_string(how.segment);
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

/// Vectors that fit beside a stamp, in a small cell, a large one, some slots, and none, and which
/// one element more brings into the next; algorithms by name or not.
inline std::vector<variant> variety() {
    constexpr std::array<std::size_t, 6> counts{1, 12, 64, 1000, 2048, 200'000};
    constexpr std::array<std::size_t, 4> segments{coll::chosen_segment, 0, 16 * 1024, 100'000};
    std::vector<variant> all;
    for (int i = 0; i < repeats(); ++i) {
        for (int const size : {2, 3, 5}) {
            variant v{size, below(size), one_of(counts), below(2) == 0, {.timeout = 20s}};
            if (below(3) != 0) { v.how.algorithm = one_of(coll::all_algorithms); }
            v.how.segment = one_of(segments);
            all.push_back(v);
        }
    }
    return all;
}

/// A vector of v.count elements as v wants it. Collective if it is to be reachable.
template <class T>
class vector_of {
public:
    vector_of(coll::communicator& comm, variant const& v) {
        if (v.reachable) {
            memory_.emplace(comm.allocate<T>(v.count));
            span_ = *memory_;
        } else {
            own_.resize(v.count);
            span_ = own_;
        }
    }
    std::span<T> span() const { return span_; }

private:
    std::optional<coll::buffer<T>> memory_;
    std::vector<T> own_;
    std::span<T> span_;
};

template <class T>
vector_of<T> vector_for(coll::communicator& comm, variant const& v) {
    return {comm, v};
}

}  // namespace faults
