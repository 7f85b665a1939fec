// SPDX-License-Identifier: BSD-3-Clause
// What a network is made of. A column of a matrix is an image; in it a pixel's channels stand
// together, pixels row by row.
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <string>
#include <utility>

namespace trainer {

using Eigen::Index;
using matrix = Eigen::MatrixXf;

/// A layer keeps of `forward` what `backward` needs. Weights (outputs x inputs) and biases
/// (outputs) are the caller's, and gradients are added to the caller's.
class layer {
public:
    layer() = default;
    layer(layer const&) = delete;
    layer& operator=(layer const&) = delete;
    virtual ~layer() = default;

    virtual std::string name() const = 0;
    virtual Index outputs() const { return 0; }  ///< rows of the weights; 0: it has none
    virtual Index inputs() const { return 0; }   ///< columns of the weights

    virtual matrix forward(float const* weights, float const* biases, matrix const& in) = 0;
    /// The loss's derivative by what came in, from that by what went out. Nothing of use where the
    /// layer is the first.
    virtual matrix backward(float const* weights, matrix const& by_out, float* by_weights,
                            float* by_biases) = 0;

    bool is_first = false;
};

/// Every output depends on every input.
class dense final : public layer {
public:
    dense(Index from, Index to) : from_(from), to_(to) {}
    std::string name() const override { return "dense"; }
    Index outputs() const override { return to_; }
    Index inputs() const override { return from_; }
    matrix forward(float const* weights, float const* biases, matrix const& in) override;
    matrix backward(float const* weights, matrix const& by_out, float* by_weights,
                    float* by_biases) override;

private:
    Index from_, to_;
    matrix in_;
};

/// Every output pixel depends on a window of `window` x `window` pixels, in the same way
/// everywhere. The windows of an image are written side by side as the columns of a matrix
/// (im2col), so that the convolution is one product of matrices.
class convolution final : public layer {
public:
    convolution(Index side, Index channels, Index window, Index filters)
        : side_(side), channels_(channels), window_(window), filters_(filters) {}
    std::string name() const override { return "conv"; }
    Index outputs() const override { return filters_; }
    Index inputs() const override { return window_ * window_ * channels_; }
    matrix forward(float const* weights, float const* biases, matrix const& in) override;
    matrix backward(float const* weights, matrix const& by_out, float* by_weights,
                    float* by_biases) override;

private:
    Index out_side() const { return side_ - window_ + 1; }
    template <class Visit>
    void each_window_row(Visit&& visit) const;

    Index side_, channels_, window_, filters_;
    matrix in_, windows_;
};

/// The largest of each 2 x 2 pixels, channel by channel; an odd row or column at the end is left
/// out.
class maximum final : public layer {
public:
    maximum(Index side, Index channels) : side_(side), channels_(channels) {}
    std::string name() const override { return "max"; }
    matrix forward(float const* weights, float const* biases, matrix const& in) override;
    matrix backward(float const* weights, matrix const& by_out, float* by_weights,
                    float* by_biases) override;

private:
    Index side_, channels_, in_rows_ = 0;
    Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic> from_;  // which input each output is
};

enum class curve { tanh, relu };

/// A non-linear function of each element.
class activation final : public layer {
public:
    explicit activation(curve c) : curve_(c) {}
    std::string name() const override { return curve_ == curve::tanh ? "tanh" : "ReLU"; }
    matrix forward(float const* weights, float const* biases, matrix const& in) override;
    matrix backward(float const* weights, matrix const& by_out, float* by_weights,
                    float* by_biases) override;

private:
    curve curve_;
    matrix out_;
};

}  // namespace trainer
