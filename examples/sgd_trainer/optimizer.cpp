// SPDX-License-Identifier: BSD-3-Clause
#include "optimizer.hpp"

namespace trainer {

void state::descend(std::span<float const> gradient, double rate, double momentum) {
    auto const by = static_cast<float>(rate / loss_scale);
    auto const m = static_cast<float>(momentum);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        velocity[i] = m * velocity[i] - by * gradient[i];
        parameters[i] += velocity[i];
    }
}

}  // namespace trainer
