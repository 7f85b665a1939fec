// SPDX-License-Identifier: BSD-3-Clause
// What is said of a list of samples.
#pragma once

#include "job.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace coll_perf {

/// The value below which the share `q` of the samples lies, interpolated between neighbours. Of no
/// samples it is 0.
double quantile(std::vector<double> samples, double q);

struct summary {
    std::size_t samples = 0;
    double least = 0, median = 0, p95 = 0, p99 = 0, most = 0, mean = 0;
};
summary summary_of(std::vector<double> const& samples);

/// How much a control may differ from its median, either way, before its sample is thrown away.
inline constexpr double steady_within = 1.5;
/// Launches whose median round trips differ by no more met the cores at one distance.
inline constexpr double same_distance_within = 1.5;

/// Removes the iterations whose control moved by more than `steady_within`: the round trip up to
/// `small_message` bytes, the copies above. Gives how many. Nothing goes where there are no
/// controls.
std::size_t drop_unsteady(case_result& r, std::size_t bytes);

/// Up to here a collective is compared with a round trip, above with a copy.
inline constexpr std::size_t small_message = 4096;

/// busbw / algbw, as in nccl-tests: the share of the vector that crosses a rank's link.
double bus_factor(std::string_view collective, int ranks);

/// The share of the vector that must cross the busiest link, one way. Each rank has a link of its
/// own; with more than one of `hosts` each of these has one, for as many ranks as the others.
double link_share(std::string_view collective, int ranks, int hosts);

}  // namespace coll_perf
