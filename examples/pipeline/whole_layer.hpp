// SPDX-License-Identifier: BSD-3-Clause
// Holds a layer that is cut over ranks against the whole layer of one process.
#pragma once

#include "tensor.hpp"

#include <collectives/communicator.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

namespace pipeline {

/// The farthest that a part's numbers are from those of the whole, by the largest of the whole.
inline double apart(std::span<double const> part, std::span<double const> same,
                    std::span<double const> whole) {
    double most = 0, scale = 0;
    for (auto const w : whole) { scale = std::max(scale, std::abs(w)); }
    for (std::size_t i = 0; i < part.size(); ++i) {
        auto const distance = std::abs(part[i] - same[i]) / scale;
        if (std::isnan(distance)) { return std::numeric_limits<double>::infinity(); }
        most = std::max(most, distance);
    }
    return most;
}

/// Forwards and backwards through a layer that is cut over all ranks: the middle one of three,
/// whose inputs and derivatives have no zeros. Throws std::runtime_error if outputs or gradients
/// differ from those of one process by more than 1e-6.
inline void check_layer(collectives::communicator& comm, std::size_t count) {
    auto const batch = spiral(count);
    auto const all = first_parameters(3);
    auto const layer = [&](std::size_t i) {
        return std::span(all).subspan(i * layer_size, layer_size);
    };
    auto const whole = forward(all, batch.at);
    std::vector<double> gradient(layer_size), unused(layer_size);
    auto const by_out = backward(layer(2), {whole[2], whole[3]},
                                 loss(whole[3], batch.arm, count).derivative, unused);
    auto const by_in = backward(layer(1), {whole[1], whole[2]}, by_out, gradient);

    layer_part part(comm, layer(1));
    auto const in = part.of(whole[1]);
    auto const out = part.forward(in, count);
    auto const found = part.backward(in, out, part.of(by_out), count);
    auto const expected = layer_part(comm, gradient);  // cut as the parameters are

    std::vector const each{apart(out, part.of(whole[2]), whole[2]),
                           apart(found.by_input, part.of(by_in), by_in),
                           apart(found.by_weights, expected.weights(), gradient),
                           apart(found.by_biases, expected.biases(), gradient)};
    std::vector numbers{*std::ranges::max_element(each),
                        static_cast<double>(part.parameter_count())};
    comm.all_reduce(numbers, collectives::max{});
    if (!(numbers[0] <= 1e-6)) {
        throw std::runtime_error("a layer cut over ranks differs from that of one process");
    }
    if (comm.rank() == 0) {
        std::printf(
            "\nOne layer cut over %d ranks by features: %.0f of its %zu parameters on a rank; "
            "outputs and\ngradients differ from one process's by %.1e\n",
            comm.size(), numbers[1], layer_size, numbers[0]);
    }
}

}  // namespace pipeline
