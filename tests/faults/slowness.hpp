// SPDX-License-Identifier: BSD-3-Clause
// How many times longer than without sanitizers a test may take.
#pragma once

#include <test_sampling.hpp>

namespace faults {

inline constexpr double slowness = sampling::sanitized ? 4 : 1;

}  // namespace faults
