// SPDX-License-Identifier: BSD-3-Clause
// What an algorithm is predicted to take: its counted cost, priced.
#pragma once

#include <collectives/schedule/any_algorithm.hpp>

#include <algorithm>
#include <cstddef>

namespace collectives {

/// Prices in seconds. The defaults are those of two cores of one socket sharing memory.
struct machine_model {
    double round = 0.4e-6;          // of a round, whatever travels in it
    double message = 0.15e-6;       // of each message a rank sends or receives
    double byte = 0.12e-9;          // of each byte of the busiest rank of a round
    double reduced_byte = 0.08e-9;  // of each byte added
};

/// The counted cost of an algorithm for one collective and size, per byte of the vector.
struct cost_profile {
    any_algorithm algorithm;
    int rounds = 0;
    std::size_t messages = 0;  // steps of the rank that has most of them
    double bytes = 0;          // over the rounds, at the busiest rank; times the vector's bytes
    double reduced = 0;

    /// Counts the steps of all ranks once.
    static cost_profile of(any_algorithm a, collective what, int size) {
        auto const unit = static_cast<std::size_t>(size) * 4096;
        auto const cost = a.cost_of(size, unit, what);
        cost_profile p{a, cost.rounds, 0, 0, 0};
        p.bytes = static_cast<double>(cost.critical.bytes) / static_cast<double>(unit);
        p.reduced = static_cast<double>(cost.critical.reduced) / static_cast<double>(unit);
        for (rank_t r : {0, size - 1}) {
            p.messages = std::max(p.messages, a.record(what, r, size).steps.size());
        }
        return p;
    }
    double seconds(machine_model const& m, std::size_t vector_bytes) const {
        auto const n = static_cast<double>(vector_bytes);
        return rounds * m.round + static_cast<double>(messages) * m.message + bytes * n * m.byte +
               reduced * n * m.reduced_byte;
    }
};

}  // namespace collectives
