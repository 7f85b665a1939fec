// SPDX-License-Identifier: BSD-3-Clause
// What is trained how.
#pragma once

#include "digits.hpp"

#include <collectives/schedule/any_algorithm.hpp>

#include <cstdint>

namespace trainer {

namespace coll = collectives;

/// Equal on all ranks.
struct plan {
    digits const* data = nullptr;
    coll::any_algorithm algorithm{};
    int batch = 60;  ///< images per step, over all ranks together
    int steps = 0;
    std::uint32_t seed = 1;
    bool in_step = false;  ///< for measuring: no rank begins a step before all have ended the last

    int steps_per_epoch() const { return static_cast<int>(data->train.size()) / batch; }
};

}  // namespace trainer
