// SPDX-License-Identifier: BSD-3-Clause
// What a program asks of its devices.
#pragma once

#include <collectives/transport/cuda/order_flags.hpp>

#include <memory>
#include <optional>

namespace collectives::inline v0::cuda {

class call_table;

/// How ranks work with their devices.
struct settings {
    std::shared_ptr<call_table> calls;  ///< what is used of CUDA
    /// Equal on all ranks. Default: COLLECTIVES_CUDA_ORDER (events, memory or host), else the first
    /// of these that works between all ranks.
    std::optional<ordering> order{};
};

}  // namespace collectives::cuda
