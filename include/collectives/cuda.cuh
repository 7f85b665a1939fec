// SPDX-License-Identifier: BSD-3-Clause
// The kernels of a program that uses devices: exactly one of its source files, compiled by nvcc,
// includes this; nothing else needs to stand there.
#pragma once

#include <collectives/space/cuda/device.cuh>

namespace collectives::inline v0::cuda::detail {

static bool const own_kernels_are_there = provide_all_with<device_launcher>();

}  // namespace collectives::cuda::detail
