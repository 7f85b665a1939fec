// SPDX-License-Identifier: BSD-3-Clause
// The kernels of devices.cpp. Sums of floats are all that it asks for, and compile in seconds. For
// every operator and type of the library include <collectives/cuda.cuh> instead, and nothing else.
#include <collectives/core/op.hpp>
#include <collectives/space/cuda/device.cuh>

static bool const sums_of_floats = collectives::cuda::provide<collectives::sum, float>();
