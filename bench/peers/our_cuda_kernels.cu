// SPDX-License-Identifier: BSD-3-Clause
// The kernels of our_cuda_driver.cpp.
#include <collectives/space/cuda/device.cuh>

namespace coll = collectives;

template <class... T>
static bool provide_each() {
    return ((coll::cuda::provide<coll::sum, T>() && coll::cuda::provide<coll::max, T>()) && ...);
}
static bool const kernels_are_there =
    coll::cuda::provide_moves_with<coll::cuda::device_launcher>() &&
    provide_each<float, double, coll::float16, coll::bfloat16, std::int32_t, std::int64_t>();
