// SPDX-License-Identifier: BSD-3-Clause
// Equal layers, output = tanh(weights * input + bias), and the task: on which of three arms of a
// spiral a point lies. Nothing here knows of ranks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pipeline {

constexpr std::size_t width = 32;                        // of the input and output of each layer
constexpr std::size_t layer_size = width * (width + 1);  // a row of weights and a bias per output

using matrix = std::vector<double>;  // a row of `width` numbers for each sample

/// Points and their arms. Layers are all equal, so the points are padded to `width` with zeros.
struct samples {
    matrix at;
    std::vector<std::size_t> arm;

    samples part(std::size_t first, std::size_t count) const;
};

/// The same on all ranks, as are the first parameters.
samples spiral(std::size_t count);
std::vector<double> first_parameters(std::size_t layers);

/// The input, and after it the output of each layer: the activations that the backward pass needs.
std::vector<matrix> forward(std::span<double const> parameters, matrix input);

/// Takes the derivative of the loss by the last output, adds the one by the parameters to
/// `gradient`, and returns the one by the input.
matrix backward(std::span<double const> parameters, std::vector<matrix> const& activations,
                matrix derivative, std::span<double> gradient);

struct loss_of_part {
    double loss;
    matrix derivative;  // by the output
};

/// Half the squared distance of three outputs from 1 for the sample's arm and -1 for the others,
/// summed over samples and divided by `count`.
loss_of_part loss(matrix const& output, std::vector<std::size_t> const& arm, std::size_t count);

/// Of the whole batch at once, by one process. Returns the loss.
double whole_gradient(std::span<double const> parameters, samples const& batch,
                      std::span<double> gradient);

/// One step of gradient descent.
void descend(std::span<double> parameters, std::span<double const> gradient);

}  // namespace pipeline
