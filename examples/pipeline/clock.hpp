// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace pipeline {

/// Microseconds of a clock that all ranks of a machine share.
inline double now_us() {
    return std::chrono::duration<double, std::micro>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace pipeline
