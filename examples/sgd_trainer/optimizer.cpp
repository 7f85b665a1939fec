// SPDX-License-Identifier: BSD-3-Clause
#include "optimizer.hpp"

namespace trainer {

void state::descend(std::span<float const> gradient, double rate, double momentum,
                    std::size_t first) {
    auto const by = static_cast<float>(rate / loss_scale);
    auto const m = static_cast<float>(momentum);
    auto const p = std::span(parameters).subspan(first, gradient.size());
    auto const v = std::span(velocity).subspan(first, gradient.size());
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        v[i] = m * v[i] - by * gradient[i];
        p[i] += v[i];
    }
}

}  // namespace trainer
