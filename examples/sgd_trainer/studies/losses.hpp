// SPDX-License-Identifier: BSD-3-Clause
// A training one of whose ranks is killed.
#pragma once

#include "../job.hpp"

namespace trainer::studies {

struct survived {
    bool ended = false;  ///< the others went on to the end
    int ranks = 0;       ///< that were left
    int resumed_at = 0;  ///< the step after which they went on
    double accuracy = 0;
};

/// Trains over processes, of which `how.victim` is killed.
survived train_through_a_loss(settings how, data_set const& data);

}  // namespace trainer::studies
