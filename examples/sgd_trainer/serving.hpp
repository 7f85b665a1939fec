// SPDX-License-Identifier: BSD-3-Clause
// How many images ranks classify per second.
#pragma once

#include "job.hpp"

namespace trainer {

/// Prints images per second over 1, 2, 4 ... ranks, up to `how.ranks`, by how many images a rank
/// classifies at once.
void print_speed_up(settings how, data_set const& data, state const& learnt);

}  // namespace trainer
