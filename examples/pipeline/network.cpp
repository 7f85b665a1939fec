// SPDX-License-Identifier: BSD-3-Clause
#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace pipeline {
namespace {

constexpr std::size_t arms = 3;
constexpr double rate = 0.02;

}  // namespace

samples samples::part(std::size_t first, std::size_t count) const {
    auto const from = [&](auto const& all, std::size_t row) {
        auto const begin = all.begin() + static_cast<std::ptrdiff_t>(first * row);
        return std::vector(begin, begin + static_cast<std::ptrdiff_t>(count * row));
    };
    return {from(at, width), from(arm, 1)};
}

samples spiral(std::size_t count) {
    std::mt19937 any(1);
    std::normal_distribution<double> noise(0, 0.1);
    samples all{matrix(count * width), std::vector<std::size_t>(count)};
    for (std::size_t i = 0; i < count; ++i) {
        auto const radius = static_cast<double>(i + 1) / static_cast<double>(count);
        auto const angle = 4 * radius + 2.0944 * static_cast<double>(i % arms) + noise(any);
        all.at[i * width] = radius * std::cos(angle);
        all.at[i * width + 1] = radius * std::sin(angle);
        all.arm[i] = i % arms;
    }
    return all;
}

std::vector<double> first_parameters(std::size_t layers) {
    std::mt19937 any(2);
    std::normal_distribution<double> weight(0, 1 / std::sqrt(static_cast<double>(width)));
    std::vector<double> parameters(layers * layer_size);
    for (auto& p : parameters) { p = weight(any); }
    return parameters;
}

std::vector<matrix> forward(std::span<double const> parameters, matrix input) {
    std::vector<matrix> activations{std::move(input)};
    for (; !parameters.empty(); parameters = parameters.subspan(layer_size)) {
        auto const& in = activations.back();
        matrix out(in.size());
        for (std::size_t row = 0; row < in.size(); row += width) {
            for (std::size_t o = 0; o < width; ++o) {
                auto const weights = parameters.subspan(o * (width + 1), width + 1);
                auto sum = weights[width];  // the bias
                for (std::size_t i = 0; i < width; ++i) { sum += weights[i] * in[row + i]; }
                out[row + o] = std::tanh(sum);
            }
        }
        activations.push_back(std::move(out));
    }
    return activations;
}

matrix backward(std::span<double const> parameters, std::vector<matrix> const& activations,
                matrix derivative, std::span<double> gradient) {
    for (auto layer = activations.size() - 1; layer-- > 0;) {
        auto const &in = activations[layer], &out = activations[layer + 1];
        auto const weights = parameters.subspan(layer * layer_size, layer_size);
        auto const slopes = gradient.subspan(layer * layer_size, layer_size);
        matrix by_input(in.size());
        for (std::size_t row = 0; row < in.size(); row += width) {
            for (std::size_t o = 0; o < width; ++o) {
                auto const y = out[row + o];
                auto const slope = derivative[row + o] * (1 - y * y);
                auto const first = o * (width + 1);
                for (std::size_t i = 0; i < width; ++i) {
                    slopes[first + i] += slope * in[row + i];
                    by_input[row + i] += slope * weights[first + i];
                }
                slopes[first + width] += slope;
            }
        }
        derivative = std::move(by_input);
    }
    return derivative;
}

loss_of_part loss(matrix const& output, std::vector<std::size_t> const& arm, std::size_t count) {
    loss_of_part result{0, matrix(output.size())};
    auto const weight = 1 / static_cast<double>(count);
    for (std::size_t i = 0; i < arm.size(); ++i) {
        for (std::size_t a = 0; a < arms; ++a) {
            auto const off = output[i * width + a] - (a == arm[i] ? 1 : -1);
            result.loss += weight * off * off / 2;
            result.derivative[i * width + a] = weight * off;
        }
    }
    return result;
}

double whole_gradient(std::span<double const> parameters, samples const& batch,
                      std::span<double> gradient) {
    auto const activations = forward(parameters, batch.at);
    auto by_output = loss(activations.back(), batch.arm, batch.arm.size());
    backward(parameters, activations, std::move(by_output.derivative), gradient);
    return by_output.loss;
}

void descend(std::span<double> parameters, std::span<double const> gradient) {
    for (std::size_t i = 0; i < parameters.size(); ++i) { parameters[i] -= rate * gradient[i]; }
}

}  // namespace pipeline
