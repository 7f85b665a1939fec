// SPDX-License-Identifier: BSD-3-Clause
// The tables on standard output.
#pragma once

#include "measure.hpp"

#include <collectives/schedule/any_algorithm.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace trainer {

namespace coll = collectives;

/// An algorithm, the training over it, and what theory says of one step.
struct row {
    coll::any_algorithm algorithm;
    coll::cost theory;       ///< counted in floats, as the executor cuts the vector by floats
    outcome fast;            ///< as fast as the machine goes
    outcome counted;         ///< its first epoch, as messages that are counted
    outcome slow;            ///< over limited links
    double largest_gap = 0;  ///< of any parameter to the training in one process

    std::size_t sent_by_formula() const { return theory.busiest.sent * sizeof(float); }
    double predicted_seconds(double bytes_per_second) const {
        return static_cast<double>(theory.critical.bytes * sizeof(float)) / bytes_per_second;
    }
};

void print_heading(std::string_view heading, std::string_view explanation);
void print_fast_header();
void print_fast_row(row const& r, int ranks, int counted_steps, std::size_t vector_bytes);
void print_slow_header();
void print_slow_row(row const& r, double bytes_per_second, double longest_seconds);
void print_learning_curves(outcome const& alone, outcome const& together, int ranks);

/// Conditions that must hold; each is printed, and a broken one makes the program fail.
class checks {
public:
    void expect(bool holds, std::string const& what);
    bool all_hold() const { return broken_ == 0; }

private:
    int broken_ = 0;
};

}  // namespace trainer
