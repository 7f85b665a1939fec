// SPDX-License-Identifier: BSD-3-Clause
// The dense network of network.hpp in a device's memory: pixels -> hidden tanh units -> classes.
#pragma once

#include "../network.hpp"
#include "math.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace trainer {

/// Parameters, their velocity and gradient stay on the device from step to step. All is enqueued on
/// the stream of `math`, but for what says that it waits.
class device_network {
public:
    /// `tensors`: those of a dense `network`, in whose places they stand.
    device_network(device_math& math, std::vector<tensor> const& tensors, int pixels, int hidden,
                   std::size_t most_images);
    device_network(device_network const&) = delete;
    device_network& operator=(device_network const&) = delete;
    ~device_network();

    void put(std::span<float const> parameters, std::span<float const> velocity);
    /// Waits.
    void get(std::span<float> parameters, std::span<float> velocity);

    /// Sets the gradient, and the loss, to nothing.
    void begin_step();
    /// As network::learn, but the loss is added to what `loss` gives. `ready` is called when a
    /// tensor's gradient is enqueued.
    void learn(batch const& images, float scale, std::function<void(tensor const&)> const& ready);
    /// What one step has lost. Waits.
    double loss();
    std::span<float> gradient() const { return {gradient_, count_}; }
    void descend(double rate, double momentum);

private:
    float* floats(std::size_t n) { return static_cast<float*>(math_.allocate(n * sizeof(float))); }
    void forward(batch const& images);

    device_math& math_;
    std::vector<tensor> tensors_;  // hidden weights and biases, then those of the classes
    int pixels_, hidden_;
    std::size_t count_ = 0, most_images_;
    float *parameters_, *velocity_, *gradient_;
    float *in_, *values_, *by_values_, *scores_;
    std::uint8_t* labels_;
    double* loss_;
};

}  // namespace trainer
