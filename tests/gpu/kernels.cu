// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the programs that are tested on a GPU, one of a user's own among them.
#include <collectives/cuda.cuh>

#include "own_operator.hpp"

static bool const own = collectives::cuda::provide<gpu::weaker, gpu::pair>();
