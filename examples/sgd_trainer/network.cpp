// SPDX-License-Identifier: BSD-3-Clause
// The network's mathematics, and the only file that includes Eigen. A column is an image.
#include "network.hpp"

#include <Eigen/Core>

#include <cmath>
#include <random>
#include <type_traits>

namespace trainer {
namespace {

using Eigen::Index;
using matrix = Eigen::MatrixXf;

/// The flat vector seen as the two layers' weights and biases; Float is `float` or `float const`.
template <class Float>
struct layers {
    using weights = std::conditional_t<std::is_const_v<Float>, matrix const, matrix>;
    using vector = Eigen::VectorXf;
    using biases = std::conditional_t<std::is_const_v<Float>, vector const, vector>;

    explicit layers(std::span<Float> flat)
        : hidden(flat.data(), hidden_units, pixels_per_image),
          hidden_bias(hidden.data() + hidden.size(), hidden_units),
          output(hidden_bias.data() + hidden_bias.size(), digit_classes, hidden_units),
          output_bias(output.data() + output.size(), digit_classes) {}

    Eigen::Map<weights> hidden;
    Eigen::Map<biases> hidden_bias;
    Eigen::Map<weights> output;
    Eigen::Map<biases> output_bias;
};

/// What the network makes of some images.
struct activations {
    matrix hidden;  // hidden_units x images
    matrix scores;  // digit_classes x images
};

activations forward(layers<float const> const& net, matrix const& images) {
    activations result;
    result.hidden =
        ((net.hidden * images).colwise() + net.hidden_bias.matrix()).array().tanh().matrix();
    result.scores = (net.output * result.hidden).colwise() + net.output_bias.matrix();
    return result;
}

/// Scores become probabilities, image by image.
matrix softmax(matrix const& scores) {
    matrix result = (scores.rowwise() - scores.colwise().maxCoeff()).array().exp().matrix();
    result.array().rowwise() /= result.colwise().sum().array();
    return result;
}

auto all_images(samples const& set) {
    return Eigen::Map<matrix const>(set.pixels.data(), pixels_per_image,
                                    static_cast<Index>(set.size()));
}

}  // namespace

std::vector<float> initial_parameters(std::uint32_t seed) {
    std::vector<float> flat(parameter_count);
    layers<float> net(flat);
    std::mt19937 random(seed);
    auto const fill = [&](auto& weights) {  // uniform in +-1/sqrt(inputs)
        auto const width = 1 / std::sqrt(static_cast<float>(weights.cols()));
        for (auto& weight : weights.reshaped()) {
            weight = width * (static_cast<float>(random() >> 8) / 8388608.0F - 1);
        }
    };
    fill(net.hidden);
    fill(net.output);
    return flat;
}

void compute_gradient(std::span<float const> parameters, samples const& set,
                      std::span<std::size_t const> picked, float scale, std::span<float> gradient) {
    auto const net = layers<float const>(parameters);
    auto const from = all_images(set);
    auto const count = static_cast<Index>(picked.size());
    matrix images(pixels_per_image, count);
    for (Index i = 0; i < count; ++i) {
        images.col(i) = from.col(static_cast<Index>(picked[static_cast<std::size_t>(i)]));
    }
    auto const [hidden, scores] = forward(net, images);

    // Backwards. The loss's derivative by a score is the probability, less 1 for the right class.
    matrix by_score = softmax(scores);
    for (Index i = 0; i < count; ++i) {
        by_score(set.labels[picked[static_cast<std::size_t>(i)]], i) -= 1;
    }
    by_score *= scale;
    matrix const by_hidden =
        ((net.output.transpose() * by_score).array() * (1 - hidden.array().square())).matrix();

    layers<float> result(gradient);
    result.output.noalias() = by_score * hidden.transpose();
    result.output_bias = by_score.rowwise().sum();
    result.hidden.noalias() = by_hidden * images.transpose();
    result.hidden_bias = by_hidden.rowwise().sum();
}

double accuracy(std::span<float const> parameters, samples const& set) {
    auto const scores = forward(layers<float const>(parameters), all_images(set)).scores;
    int right = 0;
    for (Index i = 0; i < scores.cols(); ++i) {
        Index best = 0;
        scores.col(i).maxCoeff(&best);
        right += best == set.labels[static_cast<std::size_t>(i)] ? 1 : 0;
    }
    return static_cast<double>(right) / static_cast<double>(set.size());
}

}  // namespace trainer
