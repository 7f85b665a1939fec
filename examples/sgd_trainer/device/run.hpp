// SPDX-License-Identifier: BSD-3-Clause
// Data-parallel training whose ranks compute on devices.
#pragma once

#include "../ranks.hpp"

namespace trainer {

/// As run, for `--device cuda`. Throws where this program was built without CUDA and cuBLAS, or
/// there is no device.
void run_on_devices(work const& w);

}  // namespace trainer
