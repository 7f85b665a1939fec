// SPDX-License-Identifier: BSD-3-Clause
// Runs the training over several ranks and brings home what the tables show.
#pragma once

#include "../ranks.hpp"

#include <collectives/schedule/trace.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace trainer {

/// A training over ranks, and what was seen of it.
struct outcome {
    double step_seconds = 0;        ///< median of rank 0
    double all_reduce_seconds = 0;  ///< likewise
    std::uint64_t sent = 0;         ///< bytes of all steps, by the rank that sent most of them
    bool ranks_agree = false;       ///< all ranks' parameters are equal, bit by bit
    std::vector<float> parameters;
    std::vector<double> accuracies;  ///< on the test images, after each epoch
};

/// Trains. `label` stands in the progress line.
outcome measure_training(settings const& how, data_set const& data, state const& start,
                         std::string const& label);

/// The steps of one ring all-reduce of the parameters over links as the settings say, from all
/// ranks: of several runs the quickest, in which the machine got in the way least.
std::vector<collectives::trace_event> measure_ring(settings const& how, data_set const& data,
                                                   state const& start);

}  // namespace trainer
