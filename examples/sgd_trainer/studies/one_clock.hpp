// SPDX-License-Identifier: BSD-3-Clause
// Data-parallel training whose ranks compute for real but in turn, each with a core to itself, and
// are then put on one clock.
#pragma once

#include "../job.hpp"

#include <collectives/schedule/timeline.hpp>

#include <cstddef>
#include <vector>

namespace trainer::studies {

/// Where the time of a rank's mean step goes, in seconds.
struct clock_step {
    double seconds = 0;
    double compute = 0;  ///< images and gradient
    double idle = 0;     ///< others do not have their gradients yet
    double exposed = 0;  ///< communication that no computation hides

    double accuracy = 0;  ///< of what was learnt, on the test images
};

/// Trains `how.ranks` ranks for `steps` steps. Each rank's pass over its images is timed by itself;
/// then every bucket's ring all-reduce is simulated over `network`, where a rank enters it when it
/// has the gradients and the bucket before is through. The parameters that all learn are real.
clock_step train_on_one_clock(settings const& how, data_set const& data, int steps,
                              collectives::loggp const& network);

}  // namespace trainer::studies
