// SPDX-License-Identifier: BSD-3-Clause
// Two layers, forwards and backwards, as products of matrices.
#include "network.hpp"

#include <stdexcept>

namespace trainer {

device_network::device_network(device_math& math, std::vector<tensor> const& tensors, int pixels,
                               int hidden, std::size_t most_images)
    : math_(math),
      tensors_(tensors),
      pixels_(pixels),
      hidden_(hidden),
      most_images_(most_images == 0 ? 1 : most_images) {
    if (tensors_.size() != 4) { throw std::runtime_error("a device has the dense network alone"); }
    for (auto const& t : tensors_) { count_ += t.size; }
    auto const columns = [&](int rows) { return static_cast<std::size_t>(rows) * most_images_; };
    parameters_ = floats(count_);
    velocity_ = floats(count_);
    gradient_ = floats(count_);
    in_ = floats(columns(pixels_));
    values_ = floats(columns(hidden_));
    by_values_ = floats(columns(hidden_));
    scores_ = floats(columns(class_count));
    labels_ = static_cast<std::uint8_t*>(math_.allocate(most_images_));
    loss_ = static_cast<double*>(math_.allocate(sizeof(double)));
}

device_network::~device_network() {
    for (void* const p :
         std::initializer_list<void*>{parameters_, velocity_, gradient_, in_, values_, by_values_,
                                      scores_, labels_, loss_}) {
        math_.free(p);
    }
}

void device_network::put(std::span<float const> parameters, std::span<float const> velocity) {
    math_.put(parameters_, parameters.data(), parameters.size_bytes());
    math_.put(velocity_, velocity.data(), velocity.size_bytes());
}
void device_network::get(std::span<float> parameters, std::span<float> velocity) {
    math_.get(parameters.data(), parameters_, parameters.size_bytes());
    math_.get(velocity.data(), velocity_, velocity.size_bytes());
}

void device_network::begin_step() {
    math_.clear(gradient_, count_ * sizeof(float));
    math_.clear(loss_, sizeof(double));
}
double device_network::loss() {
    double result = 0;
    math_.get(&result, loss_, sizeof result);
    return result;
}
void device_network::descend(double rate, double momentum) {
    math_.descend(parameters_, velocity_, gradient_, count_, static_cast<float>(rate),
                  static_cast<float>(momentum));
}

void device_network::forward(batch const& images) {
    auto const n = static_cast<int>(images.size());
    math_.put(in_, images.pixels.data(), images.pixels.size() * sizeof(float));
    math_.put(labels_, images.labels.data(), images.labels.size());
    auto const* const w = parameters_;
    math_.multiply(values_, hidden_, n, pixels_, {w + tensors_[0].first, false}, {in_, false},
                   false);
    math_.add_bias(values_, w + tensors_[1].first, hidden_, n, true);
    math_.multiply(scores_, class_count, n, hidden_, {w + tensors_[2].first, false},
                   {values_, false}, false);
    math_.add_bias(scores_, w + tensors_[3].first, class_count, n, false);
}

void device_network::learn(batch const& images, float scale,
                           std::function<void(tensor const&)> const& ready) {
    auto const tell = [&](std::size_t i) {
        if (ready) { ready(tensors_[i]); }
    };
    auto const n = static_cast<int>(images.size());
    auto* const g = gradient_;
    if (n != 0) {
        forward(images);
        math_.softmax(scores_, labels_, class_count, n, scale, loss_);
        math_.add_columns(g + tensors_[3].first, scores_, class_count, n);
        math_.multiply(g + tensors_[2].first, class_count, hidden_, n, {scores_, false},
                       {values_, true}, true);
    }
    tell(3);
    tell(2);
    if (n != 0) {
        math_.multiply(by_values_, hidden_, n, class_count, {parameters_ + tensors_[2].first, true},
                       {scores_, false}, false);
        math_.through_tanh(by_values_, values_,
                           static_cast<std::size_t>(hidden_) * static_cast<std::size_t>(n));
        math_.add_columns(g + tensors_[1].first, by_values_, hidden_, n);
        math_.multiply(g + tensors_[0].first, hidden_, pixels_, n, {by_values_, false}, {in_, true},
                       true);
    }
    tell(1);
    tell(0);
}

}  // namespace trainer
