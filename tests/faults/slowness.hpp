// SPDX-License-Identifier: BSD-3-Clause
// How many times longer than without sanitizers a test may take.
#pragma once

namespace faults {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr double slowness = 4;
#else
inline constexpr double slowness = 1;
#endif

}  // namespace faults
