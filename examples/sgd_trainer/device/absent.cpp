// SPDX-License-Identifier: BSD-3-Clause
#include "run.hpp"

#include <stdexcept>

namespace trainer {

void run_on_devices(work const&) {
    throw std::runtime_error(
        "--device cuda: this program was built without it: its configuration found no CUDA "
        "toolkit (12.8 or newer) with nvcc and cuBLAS");
}

}  // namespace trainer
