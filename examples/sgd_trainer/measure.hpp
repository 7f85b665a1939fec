// SPDX-License-Identifier: BSD-3-Clause
// Runs the training over several ranks and brings home what the report shows.
#pragma once

#include "plan.hpp"

#include <collectives/schedule/trace.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace trainer {

/// Where the ranks live: `processes` is coll::shm, `threads` is coll::threads.
enum class transport { processes, threads };

/// A training over ranks, and what was seen of it.
struct outcome {
    double step_seconds = 0;        ///< median of rank 0
    double all_reduce_seconds = 0;  ///< likewise
    std::uint64_t sent = 0;         ///< bytes of all steps, by the rank that sent most of them
    bool ranks_agree = false;       ///< all ranks' parameters are equal, bit by bit
    std::vector<float> parameters;
    std::vector<double> accuracies;  ///< on the test images, after each epoch
};

/// Trains. `bytes_per_second` limits each rank's link; 0 is as fast as the machine goes.
/// `label` stands in the progress line.
outcome run_training(transport where, int ranks, plan const& how, double bytes_per_second,
                     std::string const& label);

/// The steps of one all-reduce of `count` floats over limited links, from all ranks: of several
/// runs the quickest, in which the machine got in the way least.
std::vector<coll::trace_event> run_traced(transport where, int ranks, coll::any_algorithm algorithm,
                                          std::size_t count, double bytes_per_second);

}  // namespace trainer
