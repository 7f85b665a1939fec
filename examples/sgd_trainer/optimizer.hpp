// SPDX-License-Identifier: BSD-3-Clause
// From gradients to new parameters: the learning rate's way through a training, momentum, and the
// loss scale of mixed precision.
#pragma once

#include "settings.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

namespace trainer {

/// The learning rate of a step. It grows in proportion to the images of a step, rises from nothing
/// at the beginning, because a large one would throw the first steps off (Goyal et al. 2017), and
/// then falls.
inline double rate_at(settings const& how, int step, int steps_per_epoch) {
    auto const images = static_cast<double>(how.batch) * how.accumulate;
    auto const full = how.rate_batch > 0 ? how.rate * images / how.rate_batch : how.rate;
    auto const epoch = static_cast<double>(step) / steps_per_epoch;
    if (epoch < how.warm_up) { return full * (step + 1) / (how.warm_up * steps_per_epoch + 1); }
    auto const since = epoch - how.warm_up;
    switch (how.falls) {
        case decay::none: break;
        case decay::step:
            return full * std::pow(how.decay_factor, std::floor(since / how.decay_epochs));
        case decay::exponential: return full * std::pow(how.decay_factor, since / how.decay_epochs);
        case decay::cosine:
            return full / 2 * (1 + std::cos(std::numbers::pi * since / (how.epochs - how.warm_up)));
    }
    return full;
}

/// All that a training goes on from: what a checkpoint holds, and what ranks have in common.
struct state {
    int step = 0;  ///< steps done
    std::vector<float> parameters, velocity;
    double loss_scale = 1;
    int good_steps = 0;  ///< since the loss scale changed

    /// Stochastic gradient descent with momentum, of the parameters from `first` on. `gradient` is
    /// loss_scale times too large.
    void descend(std::span<float const> gradient, double rate, double momentum,
                 std::size_t first = 0);
};

/// Gradients below 2^-24 vanish in float16, so the loss is scaled up (Micikevicius et al. 2017), as
/// far as it goes: where one overflowed, the step is left out and the scale halved. All ranks see
/// the same averages, so all decide alike, and nothing is sent. True if the step may be done.
inline bool accept(state& now, std::span<float const> gradient, settings const& how) {
    if (how.precision != format::half && how.wire != format::half) { return true; }
    constexpr int patience = 200;
    if (!std::all_of(gradient.begin(), gradient.end(), [](float g) { return std::isfinite(g); })) {
        now.loss_scale = std::max(now.loss_scale / 2, 1.0);
        now.good_steps = 0;
        return false;
    }
    if (++now.good_steps == patience) {
        now.loss_scale = std::min(now.loss_scale * 2, 16777216.0);
        now.good_steps = 0;
    }
    return true;
}

}  // namespace trainer
