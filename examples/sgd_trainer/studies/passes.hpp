// SPDX-License-Identifier: BSD-3-Clause
// What a rank's pass takes by itself, and where the time of measured steps went.
#pragma once

#include "../job.hpp"
#include "../pace.hpp"
#include "training.hpp"

#include <collectives/fusion/plan.hpp>

#include <vector>

namespace trainer::studies {

/// A pass over some images on a processor of its own.
struct timed_pass {
    double seconds = 0;
    std::vector<collectives::ready_tensor> ready;  ///< since the pass began
};

/// Times are of the processor: what else runs on it does not count. Adds to `gradient`, and the sum
/// of the losses to `loss`.
timed_pass time_pass(network& net, std::span<float const> parameters, trainer::batch const& images,
                     float scale, std::span<float> gradient, double& loss);

/// The pass over the first `images` images, the quickest of some.
timed_pass time_pass(job const& what, int images);

/// Where the mean step of all ranks went, in seconds.
struct mean_step {
    double seconds = 0, compute = 0, exposed = 0, idle = 0;
};

/// Steps are put into groups of so many in a row; of the groups the middle one, by time. The first
/// group is left out: it learns which buckets there are.
mean_step typical_step(training_seen const& seen, std::size_t group = 1);

}  // namespace trainer::studies
