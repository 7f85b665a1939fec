// SPDX-License-Identifier: BSD-3-Clause
// The layers' mathematics.
#include "layers.hpp"

#include <algorithm>

namespace trainer {
namespace {

using vector = Eigen::VectorXf;
using fixed_weights = Eigen::Map<matrix const>;
using fixed_biases = Eigen::Map<vector const>;

}  // namespace

matrix dense::forward(float const* weights, float const* biases, matrix const& in) {
    in_ = in;
    matrix out = fixed_weights(weights, to_, from_) * in;
    out.colwise() += fixed_biases(biases, to_);
    return out;
}

matrix dense::backward(float const* weights, matrix const& by_out, float* by_weights,
                       float* by_biases) {
    Eigen::Map<matrix>(by_weights, to_, from_).noalias() += by_out * in_.transpose();
    Eigen::Map<vector>(by_biases, to_) += by_out.rowwise().sum();
    if (is_first) { return {}; }
    return fixed_weights(weights, to_, from_).transpose() * by_out;
}

/// Calls visit(window, row of it in the matrix of windows, place in the image, count) for each row
/// of each window: those numbers stand together in the image.
template <class Visit>
void convolution::each_window_row(Visit&& visit) const {
    auto const count = window_ * channels_;
    for (Index y = 0; y < out_side(); ++y) {
        for (Index x = 0; x < out_side(); ++x) {
            for (Index row = 0; row < window_; ++row) {
                visit(y * out_side() + x, row * count, ((y + row) * side_ + x) * channels_, count);
            }
        }
    }
}

matrix convolution::forward(float const* weights, float const* biases, matrix const& in) {
    in_ = in;
    auto const pixels = out_side() * out_side();
    windows_.resize(inputs(), pixels);
    matrix out(filters_ * pixels, in.cols());
    for (Index i = 0; i < in.cols(); ++i) {
        each_window_row([&](Index window, Index row, Index place, Index count) {
            std::copy_n(&in(place, i), count, &windows_(row, window));
        });
        Eigen::Map<matrix> image(&out(0, i), filters_, pixels);
        image.noalias() = fixed_weights(weights, filters_, inputs()) * windows_;
        image.colwise() += fixed_biases(biases, filters_);
    }
    return out;
}

matrix convolution::backward(float const* weights, matrix const& by_out, float* by_weights,
                             float* by_biases) {
    auto const pixels = out_side() * out_side();
    matrix by_in = matrix::Zero(in_.rows(), in_.cols());
    matrix by_windows(inputs(), pixels);
    for (Index i = 0; i < in_.cols(); ++i) {
        each_window_row([&](Index window, Index row, Index place, Index count) {
            std::copy_n(&in_(place, i), count, &windows_(row, window));
        });
        fixed_weights const by_image(&by_out(0, i), filters_, pixels);
        Eigen::Map<matrix>(by_weights, filters_, inputs()).noalias() +=
            by_image * windows_.transpose();
        Eigen::Map<vector>(by_biases, filters_) += by_image.rowwise().sum();
        if (is_first) { continue; }
        by_windows.noalias() = fixed_weights(weights, filters_, inputs()).transpose() * by_image;
        each_window_row([&](Index window, Index row, Index place, Index count) {
            for (Index k = 0; k < count; ++k) {
                by_in(place + k, i) += by_windows(row + k, window);
            }
        });
    }
    return by_in;
}

matrix maximum::forward(float const*, float const*, matrix const& in) {
    auto const half = side_ / 2;
    in_rows_ = in.rows();
    from_.resize(half * half * channels_, in.cols());
    matrix out(from_.rows(), in.cols());
    for (Index i = 0; i < in.cols(); ++i) {
        for (Index o = 0; o < out.rows(); ++o) {
            auto const pixel = o / channels_;
            auto const corner =
                (2 * (pixel / half) * side_ + 2 * (pixel % half)) * channels_ + o % channels_;
            auto best = corner;
            for (auto const other : {corner + channels_, corner + side_ * channels_,
                                     corner + (side_ + 1) * channels_}) {
                if (in(other, i) > in(best, i)) { best = other; }
            }
            from_(o, i) = best;
            out(o, i) = in(best, i);
        }
    }
    return out;
}

matrix maximum::backward(float const*, matrix const& by_out, float*, float*) {
    matrix by_in = matrix::Zero(in_rows_, by_out.cols());
    for (Index i = 0; i < by_out.cols(); ++i) {
        for (Index o = 0; o < by_out.rows(); ++o) { by_in(from_(o, i), i) = by_out(o, i); }
    }
    return by_in;
}

matrix activation::forward(float const*, float const*, matrix const& in) {
    out_ = curve_ == curve::tanh ? in.array().tanh().matrix().eval() : in.cwiseMax(0.0F).eval();
    return out_;
}

matrix activation::backward(float const*, matrix const& by_out, float*, float*) {
    if (curve_ == curve::tanh) { return (by_out.array() * (1 - out_.array().square())).matrix(); }
    return (out_.array() > 0).select(by_out, 0);
}

}  // namespace trainer
