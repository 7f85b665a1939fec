// SPDX-License-Identifier: BSD-3-Clause
// A small neural network: 64 pixels -> 64 hidden tanh units -> 10 classes, softmax, cross-entropy.
// Nothing here knows that there are ranks.
#pragma once

#include "digits.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trainer {

inline constexpr int hidden_units = 64;

/// All weights and biases stand in one flat vector, so that one all-reduce averages them all.
inline constexpr std::size_t parameter_count =
    (pixels_per_image + 1) * hidden_units + (hidden_units + 1) * digit_classes;

/// Small random weights, zero biases: what learning starts from.
std::vector<float> initial_parameters(std::uint32_t seed);

/// Writes to `gradient` (`parameter_count` long) `scale` times the sum of the loss's gradients
/// over the images of `set` that `picked` names.
void compute_gradient(std::span<float const> parameters, samples const& set,
                      std::span<std::size_t const> picked, float scale, std::span<float> gradient);

/// The part of the images in `set` that the network classifies rightly, 0 to 1.
double accuracy(std::span<float const> parameters, samples const& set);

/// Stochastic gradient descent with momentum, the plain one.
struct sgd {
    float rate = 0.1F;
    float momentum = 0.9F;
    std::vector<float> velocity = std::vector<float>(parameter_count);

    void step(std::span<float> parameters, std::span<float const> gradient) {
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            velocity[i] = momentum * velocity[i] - rate * gradient[i];
            parameters[i] += velocity[i];
        }
    }
};

}  // namespace trainer
