// SPDX-License-Identifier: BSD-3-Clause
// A small neural network for classifying images. Nothing here knows that there are ranks.
#pragma once

#include "loader.hpp"
#include "settings.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace trainer {

class layer;

/// Weights or biases of a layer: where they stand in the vector of all parameters.
struct tensor {
    std::string name;
    std::size_t first = 0, size = 0;
};

/// Layers over one flat vector of parameters, which the caller keeps: so ranks can broadcast and
/// average it without knowing of layers. Softmax and cross-entropy come last.
class network {
public:
    /// For images of side x side pixels. "dense": pixels -> hidden tanh units -> 10 classes.
    /// "conv": one or two convolutions with ReLU and 2 x 2 maximum, then a hidden layer of ReLUs.
    /// With a 16-bit `precision` all that flows through the network is rounded to it: weights as
    /// they are used, activations and their derivatives.
    network(std::string const& model, int side, int hidden, format precision, int channels = 1);
    ~network();
    network(network&&) noexcept;

    std::vector<tensor> const& tensors() const { return tensors_; }
    std::size_t parameter_count() const { return parameter_count_; }
    std::string const& description() const { return description_; }

    /// Small random weights, zero biases: what learning starts from.
    std::vector<float> initial_parameters(std::uint32_t seed) const;

    /// Adds to `gradient` (`parameter_count` long) `scale` times the sum of the loss's gradients
    /// over the images, and gives the sum of their losses. Calls `ready` with each tensor as soon
    /// as its gradient is complete: those of the last layer come first.
    double learn(std::span<float const> parameters, batch const& images, float scale,
                 std::span<float> gradient, std::function<void(tensor const&)> const& ready);

    /// The likeliest class of each image.
    std::vector<std::uint8_t> classify(std::span<float const> parameters, batch const& images);

private:
    struct scratch;
    void use(std::span<float const> parameters);
    void forward(batch const& images);

    std::vector<std::unique_ptr<layer>> layers_;
    std::vector<tensor> tensors_;  // weights and biases of each layer that has some
    std::size_t parameter_count_ = 0;
    std::string description_;
    format precision_;
    std::unique_ptr<scratch> work_;
};

/// Classifies `count` test images from `first` on, `at_once` of them at a time. Gives how many of
/// class c were taken for class k, at c x class_count + k.
std::vector<float> classify_images(data_set const& data, network& net,
                                   std::span<float const> parameters, std::size_t first,
                                   std::size_t count, std::size_t at_once);

/// Of such counts: the part of the images that were classified rightly.
double accuracy_of(std::span<float const> seen);

}  // namespace trainer
