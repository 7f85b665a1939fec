// SPDX-License-Identifier: BSD-3-Clause
// The few kernels that the tools look at: with all of them these take too long.
#include <collectives/space/cuda/device.cuh>

#include <cstdint>

static bool const few = [] {
    collectives::cuda::provide_moves_with<collectives::cuda::device_launcher>();
    return collectives::cuda::provide<collectives::sum, std::int64_t>();
}();
