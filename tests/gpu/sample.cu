// SPDX-License-Identifier: BSD-3-Clause
// A few kernels whose PTX is looked at.
#include <collectives/space/cuda/device.cuh>

#include <complex>

namespace coll = collectives;

static bool const sample = [] {
    coll::cuda::provide_moves_with<coll::cuda::device_launcher>();
    return coll::cuda::provide<coll::sum, float>() && coll::cuda::provide<coll::sum, double>() &&
           coll::cuda::provide<coll::sum, coll::float16>() &&
           coll::cuda::provide<coll::average, coll::bfloat16>() &&
           coll::cuda::provide<coll::sum, coll::float8_e4m3>() &&
           coll::cuda::provide<coll::average, coll::float8_e5m2>() &&
           coll::cuda::provide<coll::bit_xor, std::uint8_t>() &&
           coll::cuda::provide<coll::product, std::complex<float>>() &&
           coll::cuda::provide<coll::premultiplied_sum<std::complex<float>>, std::complex<float>>();
}();
