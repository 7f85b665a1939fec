// SPDX-License-Identifier: BSD-3-Clause
// A dense network whose weights, activations, derivatives and gradients stand in memory as 16-bit
// numbers (or as floats, for comparison). Products are computed in float: a block of columns is
// widened, multiplied, and rounded as it is written back. No array of floats is as large as a
// layer.
#pragma once

#include "../loader.hpp"
#include "short_numbers.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace trainer::studies {

using float_block = Eigen::Map<Eigen::MatrixXf>;

/// Layers of these widths, tanh between them, softmax and cross-entropy at the end.
template <class Number>
class short_network {
public:
    explicit short_network(std::vector<int> widths) : widths_(std::move(widths)) {
        for (std::size_t l = 0; l + 1 < widths_.size(); ++l) {
            first_.push_back(count_);
            count_ += size_of(l);
        }
        values_.resize(widths_.size());
    }

    std::size_t parameter_count() const { return count_; }
    /// Bytes of all Numbers: what the network keeps between calls, and the parameters and gradient
    /// that the caller keeps.
    std::size_t bytes() const {
        auto all = 2 * count_;
        for (auto const& v : values_) { all += v.size(); }
        for (auto const& d : by_values_) { all += d.size(); }
        return all * sizeof(Number);
    }

    /// Uniform in +-1/sqrt(inputs); biases are 0.
    std::vector<float> initial_parameters(std::uint32_t seed) const {
        std::vector<float> all(count_);
        std::mt19937 random(seed);
        for (std::size_t l = 0; l < first_.size(); ++l) {
            auto const range = 1 / std::sqrt(static_cast<float>(widths_[l]));
            auto const weights = static_cast<std::size_t>(widths_[l]) * out_of(l);
            for (auto& w : std::span(all).subspan(first_[l], weights)) {
                w = range * (static_cast<float>(random() >> 8) / 8388608.0F - 1);
            }
        }
        return all;
    }

    /// Writes `scale` times the gradient of the images' summed loss, and gives that sum.
    double learn(std::span<Number const> parameters, batch const& images, float scale,
                 std::span<Number> gradient) {
        forward(parameters, images);
        auto const last = widths_.size() - 1;
        auto const count = images.size();
        by_values_[0].resize(values_[last].size());
        auto const rows = static_cast<std::size_t>(widths_[last]);
        double loss = 0;
        std::vector<float> column(rows);
        for (std::size_t i = 0; i < count; ++i) {
            widen(column, &values_[last][i * rows]);
            loss += to_derivative(column, images.labels[i]);
            for (auto& c : column) { c *= scale; }
            narrow(&by_values_[0][i * rows], column);
        }
        for (auto l = last; l-- > 0;) {
            by_weights(l, count, gradient);
            if (l > 0) { by_inputs(l, count, parameters); }
        }
        return loss;
    }

    std::size_t count_right(std::span<Number const> parameters, batch const& images) {
        forward(parameters, images);
        auto const& scores = values_.back();
        auto const rows = static_cast<std::size_t>(widths_.back());
        std::size_t right = 0;
        for (std::size_t i = 0; i < images.size(); ++i) {
            std::size_t best = 0;
            for (std::size_t c = 1; c < rows; ++c) {
                if (float(scores[i * rows + c]) > float(scores[i * rows + best])) { best = c; }
            }
            right += static_cast<std::size_t>(best == images.labels[i]);
        }
        return right;
    }

private:
    static constexpr std::size_t at_once = 64;  // columns of a block

    std::size_t out_of(std::size_t l) const { return static_cast<std::size_t>(widths_[l + 1]); }
    std::size_t in_of(std::size_t l) const { return static_cast<std::size_t>(widths_[l]); }
    std::size_t size_of(std::size_t l) const { return (in_of(l) + 1) * out_of(l); }

    static void widen(std::span<float> to, Number const* from) {
        studies::widen(to.data(), from, to.size());
    }
    static void narrow(Number* to, std::span<float const> from) {
        studies::narrow(to, from.data(), from.size());
    }
    /// `columns` columns of `rows` numbers, in float.
    static float_block block(std::vector<float>& room, Number const* from, std::size_t rows,
                             std::size_t columns) {
        room.resize(rows * columns);
        widen(room, from);
        return {room.data(), Eigen::Index(rows), Eigen::Index(columns)};
    }
    /// Calls part(first, columns) for the blocks of `count` columns.
    template <class Part>
    static void in_blocks(std::size_t count, Part&& part) {
        for (std::size_t first = 0; first < count; first += at_once) {
            part(first, std::min(at_once, count - first));
        }
    }

    /// From scores to probabilities less the right answer; gives the loss.
    static double to_derivative(std::vector<float>& scores, std::size_t label) {
        auto const most = *std::max_element(scores.begin(), scores.end());
        float sum = 0;
        for (auto& s : scores) { sum += s = std::exp(s - most); }
        for (auto& s : scores) { s /= sum; }
        auto const loss = -std::log(static_cast<double>(std::max(scores[label], 1e-30F)));
        scores[label] -= 1;
        return loss;
    }

    void forward(std::span<Number const> parameters, batch const& images) {
        auto const count = images.size();
        values_[0].resize(images.pixels.size());
        narrow(values_[0].data(), images.pixels);
        for (std::size_t l = 0; l < first_.size(); ++l) {
            auto const rows = out_of(l), columns = in_of(l);
            values_[l + 1].resize(rows * count);
            auto const* const biases = &parameters[first_[l] + rows * columns];
            in_blocks(count, [&](std::size_t first, std::size_t some) {
                Eigen::MatrixXf out(rows, some);
                for (std::size_t i = 0; i < some; ++i) {
                    widen({&out(0, Eigen::Index(i)), rows}, biases);
                }
                in_blocks(columns, [&](std::size_t from, std::size_t part) {
                    auto const w = block(left_, &parameters[first_[l] + from * rows], rows, part);
                    right_.resize(part * some);
                    for (std::size_t i = 0; i < some; ++i) {
                        widen({&right_[i * part], part}, &values_[l][(first + i) * columns + from]);
                    }
                    out.noalias() +=
                        w * float_block(right_.data(), Eigen::Index(part), Eigen::Index(some));
                });
                if (l + 1 < first_.size()) { out = out.array().tanh().matrix().eval(); }
                narrow(&values_[l + 1][first * rows], {out.data(), rows * some});
            });
        }
    }

    /// The gradient of layer l's weights and biases from by_values_[0].
    void by_weights(std::size_t l, std::size_t count, std::span<Number> gradient) {
        auto const rows = out_of(l), columns = in_of(l);
        Eigen::VectorXf biases = Eigen::VectorXf::Zero(Eigen::Index(rows));
        in_blocks(columns, [&](std::size_t from, std::size_t part) {
            Eigen::MatrixXf sum = Eigen::MatrixXf::Zero(Eigen::Index(rows), Eigen::Index(part));
            in_blocks(count, [&](std::size_t first, std::size_t some) {
                auto const by_out = block(left_, &by_values_[0][first * rows], rows, some);
                right_.resize(part * some);
                for (std::size_t i = 0; i < some; ++i) {
                    widen({&right_[i * part], part}, &values_[l][(first + i) * columns + from]);
                }
                sum.noalias() +=
                    by_out *
                    float_block(right_.data(), Eigen::Index(part), Eigen::Index(some)).transpose();
                if (from == 0) { biases += by_out.rowwise().sum(); }
            });
            narrow(&gradient[first_[l] + from * rows], {sum.data(), rows * part});
        });
        narrow(&gradient[first_[l] + rows * columns], {biases.data(), rows});
    }

    /// by_values_[0] of the layer below, with the tanh between them.
    void by_inputs(std::size_t l, std::size_t count, std::span<Number const> parameters) {
        auto const rows = out_of(l), columns = in_of(l);
        by_values_[1].resize(columns * count);
        in_blocks(count, [&](std::size_t first, std::size_t some) {
            auto const by_out = block(right_, &by_values_[0][first * rows], rows, some);
            in_blocks(columns, [&](std::size_t from, std::size_t part) {
                auto const w = block(left_, &parameters[first_[l] + from * rows], rows, part);
                Eigen::MatrixXf by_in = w.transpose() * by_out;
                std::vector<float> out(part);
                for (std::size_t i = 0; i < some; ++i) {
                    auto const at = (first + i) * columns + from;
                    widen(out, &values_[l][at]);
                    for (std::size_t k = 0; k < part; ++k) {
                        out[k] = by_in(Eigen::Index(k), Eigen::Index(i)) * (1 - out[k] * out[k]);
                    }
                    narrow(&by_values_[1][at], out);
                }
            });
        });
        std::swap(by_values_[0], by_values_[1]);
    }

    std::vector<int> widths_;
    std::vector<std::size_t> first_;  // of each layer's weights, outputs x inputs, then biases
    std::size_t count_ = 0;
    std::vector<std::vector<Number>> values_;  // of each layer
    std::vector<Number> by_values_[2];         // derivatives: of the layer above and of that below
    std::vector<float> left_, right_;          // blocks in float
};

}  // namespace trainer::studies
