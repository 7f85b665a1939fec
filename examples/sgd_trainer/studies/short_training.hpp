// SPDX-License-Identifier: BSD-3-Clause
// Data-parallel training in which all that is large stands in memory, and travels, in 16 bits.
#pragma once

#include "../data.hpp"
#include "../settings.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace trainer::studies {

enum class scaling { none, fixed, adapted };  ///< of the loss; adapted: halved on overflow, doubled

struct short_plan {
    format numbers = format::single;
    bool masters = true;     ///< parameters learn as floats; else they have `numbers` alone
    double loss_weight = 1;  ///< the loss is so small a part of what is minimised; the learning
                             ///< rate is as much larger, so in floats nothing changes
    scaling scales = scaling::none;
    double scale = 1;  ///< of the loss, to begin with
    std::vector<int> hidden{64, 64, 64};
    int ranks = 2;
    int epochs = 10;
    int batch = 128;  ///< over all ranks
    double rate = 0.1;
};

struct short_seen {
    double accuracy = 0;
    double loss = 0;          ///< mean of the last epoch
    double step_seconds = 0;  ///< of the processor, to compute a rank's gradient: the median
    std::size_t memory = 0;   ///< bytes of a rank's numbers, masters and velocity left out
    double wire = 0;          ///< bytes per step that a rank sends
    int skipped = 0;          ///< steps that overflowed
    double last_scale = 1;
    std::vector<float> gradient;  ///< average over the ranks in the last step, as it came, scaled
};

/// Over threads. Throws what a rank throws.
short_seen learn_in_short(short_plan const& plan, data_set const& data);

}  // namespace trainer::studies
