// SPDX-License-Identifier: BSD-3-Clause
// The prices of a network: given, or fitted to measurements.
#pragma once

#include <collectives/schedule/timeline.hpp>
#include <collectives/select/closed_form.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace coll_predict {

namespace coll = collectives;

/// Seconds. Where ranks send and receive at once, an all-reduce takes the sum of its counted cost
/// times these.
struct prices {
    double alpha = 0;    // of a round
    double message = 0;  // of a message that the busiest rank sends or receives
    double beta = 0;     // of a byte on the way
    double gamma = 0;    // of a byte added
    /// Of a round in which groups of so many consecutive ranks talk to each other, besides: leaves
    /// of a tree of switches. Counted from the steps.
    double beyond = 0;
    int group = 0;  // 0: none
    /// Times are simulated (schedule/simulate.hpp). Of this only `gap`, `late` and `slow` count; a
    /// round is the latency, and half a message the overhead at either end.
    std::optional<coll::loggp> simulated{};
};

/// Up to so many ranks have steps few enough to be counted.
inline constexpr int most_counted = 1024;

/// With no more than these no count overflows.
inline constexpr std::int64_t most_ranks = 1'000'000;

/// In O(log P) or O(sqrt P) time, whatever the number of ranks; but where there are groups, or for
/// an algorithm that is not of the library, or where times are simulated: then steps are counted.
/// Throws usage_error where these are of more than `most_counted` ranks, or where a late rank or a
/// slow link is none of them.
double seconds(coll::any_algorithm a, int size, std::int64_t bytes, prices const& p);

struct measured {
    coll::any_algorithm algorithm;
    int size = 0;
    std::int64_t bytes = 0;
    double seconds = 0;
};

struct fit {
    prices all;  // fitted to all rows
    std::size_t rows = 0;
    double held_out = 0;  // median over rows of |predicted / measured - 1|, each predicted by
    double worst = 0;     // prices fitted to the other three quarters; and the largest
};

/// Least squares of the relative errors, no price below 0. Throws std::runtime_error where there
/// are fewer than 8 rows.
fit fit_to(std::vector<measured> const& rows);

/// Of pairs of algorithms, measured over the same ranks and bytes, whose predictions differ by 15 %
/// or more, those that were measured in the other order: one line each. `pairs` counts all.
std::vector<std::string> out_of_order(std::vector<measured> const& rows, prices const& p,
                                      std::size_t& pairs);

/// Measured by predicted, for each algorithm: the least, the median and the most.
struct spread {
    std::string algorithm;
    int rows = 0;
    double least = 0, median = 0, most = 0;
};
std::vector<spread> spread_of(std::vector<measured> const& rows, prices const& p);

/// The all-reduces by a named algorithm in the CSV of coll_perf or coll_wire. Throws
/// std::runtime_error where it cannot be read.
std::vector<measured> read_measured(std::string const& file);

}  // namespace coll_predict
