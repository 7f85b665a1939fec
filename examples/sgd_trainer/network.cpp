// SPDX-License-Identifier: BSD-3-Clause
// Layers in their order, forwards and backwards.
#include "network.hpp"

#include "layers.hpp"

#include <collectives/core/narrow_float.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace trainer {
namespace {

template <class Half>
void round_all(float* values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<float>(static_cast<Half>(values[i]));
    }
}

/// What 16-bit storage would do to the values.
void round_to(format precision, float* values, std::size_t count) {
    switch (precision) {
        case format::single: return;
        case format::half: return round_all<collectives::float16>(values, count);
        case format::brain: return round_all<collectives::bfloat16>(values, count);
    }
}
void round_to(format precision, matrix& values) {
    round_to(precision, values.data(), static_cast<std::size_t>(values.size()));
}

std::vector<std::unique_ptr<layer>> make_layers(std::string const& model, Index side,
                                                Index channels, Index hidden) {
    std::vector<std::unique_ptr<layer>> all;
    auto const add = [&]<class Layer, class... Sizes>(std::in_place_type_t<Layer>, Sizes... sizes) {
        all.push_back(std::make_unique<Layer>(sizes...));
    };
    Index values = side * side * channels;
    auto shape = curve::tanh;
    if (model == "conv") {
        shape = curve::relu;
        auto const window = side > 8 ? Index{5} : Index{3};
        for (auto const filters : {Index{8}, Index{16}}) {
            if (side < window + 1) { break; }  // small images have room for one
            add(std::in_place_type<convolution>, side, channels, window, filters);
            add(std::in_place_type<activation>, shape);
            add(std::in_place_type<maximum>, side - window + 1, filters);
            side = (side - window + 1) / 2;
            channels = filters;
        }
        values = side * side * channels;
    }
    add(std::in_place_type<dense>, values, hidden);
    add(std::in_place_type<activation>, shape);
    add(std::in_place_type<dense>, hidden, Index{class_count});
    all.front()->is_first = true;
    return all;
}

std::string describe(std::vector<std::unique_ptr<layer>> const& layers, int side, int channels) {
    auto text = fmt::format("{0} x {0}", side);
    if (channels > 1) { text += fmt::format(" x {}", channels); }
    for (auto const& l : layers) {
        text += l->outputs() > 0 ? fmt::format(" - {} {}", l->name(), l->outputs())
                                 : fmt::format(" {}", l->name());
    }
    return text;
}

}  // namespace

/// What is kept between the calls.
struct network::scratch {
    std::vector<float> rounded;   // all parameters, where they are
    float const* used = nullptr;  // these, or the caller's
    matrix values;                // what went out of the last layer, then derivatives
};

network::network(std::string const& model, int side, int hidden, format precision, int channels)
    : layers_(make_layers(model, side, channels, hidden)),
      description_(describe(layers_, side, channels)),
      precision_(precision),
      work_(std::make_unique<scratch>()) {
    int number = 0;
    for (auto const& l : layers_) {
        if (l->outputs() == 0) { continue; }
        auto const name = fmt::format("{} {} ", l->name(), ++number);
        auto const add = [&](char const* what, Index size) {
            tensors_.push_back({name + what, parameter_count_, static_cast<std::size_t>(size)});
            parameter_count_ += tensors_.back().size;
        };
        add("weights", l->outputs() * l->inputs());
        add("biases", l->outputs());
    }
}

network::~network() = default;
network::network(network&&) noexcept = default;

std::vector<float> network::initial_parameters(std::uint32_t seed) const {
    std::vector<float> all(parameter_count_);
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < tensors_.size(); i += 2) {  // uniform in +-1/sqrt(inputs)
        auto const inputs = tensors_[i].size / tensors_[i + 1].size;
        auto const width = 1 / std::sqrt(static_cast<float>(inputs));
        for (auto& weight : std::span(all).subspan(tensors_[i].first, tensors_[i].size)) {
            weight = width * (static_cast<float>(random() >> 8) / 8388608.0F - 1);
        }
    }
    return all;
}

void network::use(std::span<float const> parameters) {
    work_->used = parameters.data();
    if (precision_ == format::single) { return; }
    work_->rounded.assign(parameters.begin(), parameters.end());
    round_to(precision_, work_->rounded.data(), work_->rounded.size());
    work_->used = work_->rounded.data();
}

void network::forward(batch const& images) {
    auto& values = work_->values;
    auto const count = static_cast<Index>(images.size());
    values = Eigen::Map<matrix const>(images.pixels.data(),
                                      count == 0 ? 0 : Index(images.pixels.size()) / count, count);
    std::size_t next = 0;
    for (auto const& l : layers_) {
        float const *weights = nullptr, *biases = nullptr;
        if (l->outputs() > 0) {
            weights = work_->used + tensors_[next++].first;
            biases = work_->used + tensors_[next++].first;
        }
        values = l->forward(weights, biases, values);
        round_to(precision_, values);
    }
}

double network::learn(std::span<float const> parameters, batch const& images, float scale,
                      std::span<float> gradient, std::function<void(tensor const&)> const& ready) {
    use(parameters);
    auto const tell = [&](std::size_t i) {
        if (ready) { ready(tensors_[i]); }
    };
    if (images.size() == 0) {  // more ranks than images: it adds nothing, and says so
        for (auto i = tensors_.size(); i-- > 0;) { tell(i); }
        return 0;
    }
    forward(images);

    // Probabilities, and the loss's derivative by each score: its probability, less 1 for the right
    // class.
    double loss = 0;
    auto& by_values = work_->values;
    for (Index i = 0; i < by_values.cols(); ++i) {
        auto column = by_values.col(i).array();
        column = (column - column.maxCoeff()).exp();
        column /= column.sum();
        auto& right = column(images.labels[static_cast<std::size_t>(i)]);
        loss -= std::log(static_cast<double>(std::max(right, 1e-30F)));
        right -= 1;
    }
    by_values *= scale;
    round_to(precision_, by_values);

    auto next = tensors_.size();
    for (auto l = layers_.rbegin(); l != layers_.rend(); ++l) {
        if ((*l)->outputs() == 0) {
            by_values = (*l)->backward(nullptr, by_values, nullptr, nullptr);
        } else {
            next -= 2;
            auto const weights = tensors_[next].first;
            by_values = (*l)->backward(work_->used + weights, by_values, &gradient[weights],
                                       &gradient[tensors_[next + 1].first]);
            tell(next + 1);
            tell(next);
        }
        round_to(precision_, by_values);
    }
    return loss;
}

std::vector<std::uint8_t> network::classify(std::span<float const> parameters,
                                            batch const& images) {
    use(parameters);
    std::vector<std::uint8_t> classes;
    if (images.size() == 0) { return classes; }
    forward(images);
    for (Index i = 0; i < work_->values.cols(); ++i) {
        Index best = 0;
        work_->values.col(i).maxCoeff(&best);
        classes.push_back(static_cast<std::uint8_t>(best));
    }
    return classes;
}

std::vector<float> classify_images(data_set const& data, network& net,
                                   std::span<float const> parameters, std::size_t first,
                                   std::size_t count, std::size_t at_once) {
    std::vector<float> seen_as(class_count * class_count);  // exact up to 2^24 images
    for (std::size_t done = 0; done < count; done += at_once) {
        auto const images =
            gather_images(data, data.test, {}, first + done, std::min(at_once, count - done));
        auto const seen = net.classify(parameters, images);
        for (std::size_t i = 0; i < seen.size(); ++i) {
            ++seen_as[static_cast<std::size_t>(images.labels[i]) * class_count + seen[i]];
        }
    }
    return seen_as;
}

double accuracy_of(std::span<float const> seen) {
    double right = 0, all = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        all += static_cast<double>(seen[i]);
        if (i % (class_count + 1) == 0) { right += static_cast<double>(seen[i]); }
    }
    return all > 0 ? right / all : 0;
}

}  // namespace trainer
