// SPDX-License-Identifier: BSD-3-Clause
// What the kernels compute, one element or column each: constexpr but for the functions that are
// passed in, so that nvcc takes it for the device and tests run it on the host.
#pragma once

#include <cstddef>
#include <cstdint>

namespace trainer {

/// One image: its scores become `scale` times the loss's derivative by them. Gives the loss.
template <class Exp, class Log>
constexpr float softmax_column(float* scores, int rows, int label, float scale, Exp const& exp,
                               Log const& log) {
    auto most = scores[0];
    for (int i = 1; i < rows; ++i) { most = scores[i] > most ? scores[i] : most; }
    float sum = 0;
    for (int i = 0; i < rows; ++i) { sum += scores[i] = exp(scores[i] - most); }
    auto const right = scores[label] / sum;
    for (int i = 0; i < rows; ++i) {
        scores[i] = (scores[i] / sum - (i == label ? 1.0F : 0.0F)) * scale;
    }
    return -log(right > 1e-30F ? right : 1e-30F);
}

constexpr float sum_of_row(float const* values, int row, int rows, int columns) {
    float sum = 0;
    for (int c = 0; c < columns; ++c) {
        sum += values[static_cast<std::size_t>(c) * static_cast<std::size_t>(rows) +
                      static_cast<std::size_t>(row)];
    }
    return sum;
}

constexpr void descend_one(float& w, float& v, float g, float rate, float momentum) {
    v = momentum * v - rate * g;
    w += v;
}

}  // namespace trainer
