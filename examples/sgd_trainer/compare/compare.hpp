// SPDX-License-Identifier: BSD-3-Clause
// Trains on the digits with every all-reduce algorithm, and shows what each costs: counted, timed
// and drawn.
#pragma once

#include "../options.hpp"

namespace trainer {

/// Prints and draws. True if all its checks hold.
bool compare_algorithms(comparison const& o);

}  // namespace trainer
