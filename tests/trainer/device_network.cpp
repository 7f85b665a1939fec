// SPDX-License-Identifier: BSD-3-Clause
// The trainer's network for devices, with the host's arithmetic in place of a device's: it learns
// what the host's own network learns.
#include "data.hpp"
#include "device/bodies.hpp"
#include "device/network.hpp"
#include "loader.hpp"
#include "network.hpp"
#include "optimizer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace trainer;

/// What device_math promises, element by element.
class plain_math final : public device_math {
public:
    std::set<void*> live;

    void* stream() override { return nullptr; }
    void* allocate(std::size_t bytes) override {
        return *live.insert(std::calloc(1, std::max<std::size_t>(bytes, 1))).first;
    }
    void free(void* p) override {
        live.erase(p);
        std::free(p);
    }
    void put(void* to, void const* from, std::size_t bytes) override {
        std::memcpy(to, from, bytes);
    }
    void get(void* to, void const* from, std::size_t bytes) override {
        std::memcpy(to, from, bytes);
    }
    void clear(void* p, std::size_t bytes) override { std::memset(p, 0, bytes); }
    void multiply(float* out, int rows, int columns, int inner, factor a, factor b,
                  bool adds) override {
        auto const at = [](factor f, int row, int column, int of_rows, int of_columns) {
            return f.values[f.transposed ? row * of_columns + column : column * of_rows + row];
        };
        for (int c = 0; c < columns; ++c) {
            for (int r = 0; r < rows; ++r) {
                double sum = 0;
                for (int k = 0; k < inner; ++k) {
                    sum += double(at(a, r, k, rows, inner)) * double(at(b, k, c, inner, columns));
                }
                auto& to = out[c * rows + r];
                to = static_cast<float>(sum) + (adds ? to : 0);
            }
        }
    }
    void add_bias(float* values, float const* bias, int rows, int columns, bool tanh) override {
        for (int i = 0; i < rows * columns; ++i) {
            auto const x = values[i] + bias[i % rows];
            values[i] = tanh ? std::tanh(x) : x;
        }
    }
    void add_columns(float* bias, float const* values, int rows, int columns) override {
        for (int r = 0; r < rows; ++r) { bias[r] += sum_of_row(values, r, rows, columns); }
    }
    void through_tanh(float* by_values, float const* values, std::size_t count) override {
        for (std::size_t i = 0; i < count; ++i) { by_values[i] *= 1 - values[i] * values[i]; }
    }
    void softmax(float* scores, std::uint8_t const* labels, int rows, int columns, float scale,
                 double* loss) override {
        for (int c = 0; c < columns; ++c) {
            *loss += static_cast<double>(softmax_column(
                scores + c * rows, rows, labels[c], scale, [](float x) { return std::exp(x); },
                [](float x) { return std::log(x); }));
        }
    }
    void descend(float* w, float* v, float const* g, std::size_t count, float rate,
                 float momentum) override {
        for (std::size_t i = 0; i < count; ++i) { descend_one(w[i], v[i], g[i], rate, momentum); }
    }
};

float furthest(std::vector<float> const& a, std::span<float const> b) {
    float most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) { most = std::max(most, std::abs(a[i] - b[i])); }
    return most;
}

}  // namespace

TEST_CASE("the network for devices learns what the host's does") {
    auto const data = load_digits("data/digits/digits.csv");
    network host("dense", data.side, 20, format::single);
    state now;
    now.parameters = host.initial_parameters(3);
    now.velocity.resize(now.parameters.size());
    plain_math math;
    {
        device_network net(math, host.tensors(), data.side * data.side, 20, 30);
        net.put(now.parameters, now.velocity);
        for (std::size_t step = 0; step < 40; ++step) {
            auto const first = step * 30;
            auto const images = gather_images(data, data.train, {}, first, step == 7 ? 0 : 30);
            std::vector<float> gradient(now.parameters.size());
            std::vector<std::string> told, told_by_host;
            auto const lost = host.learn(now.parameters, images, 0.03F, gradient,
                                         [&](tensor const& t) { told_by_host.push_back(t.name); });
            net.begin_step();
            net.learn(images, 0.03F, [&](tensor const& t) { told.push_back(t.name); });
            CHECK(net.loss() == doctest::Approx(lost).epsilon(1e-4));
            auto const found = furthest(gradient, net.gradient());
            CHECK(found < 2e-5F);
            std::sort(told.begin(), told.end());
            std::sort(told_by_host.begin(), told_by_host.end());
            CHECK(told == told_by_host);
            now.descend(gradient, 0.1, 0.9);
            net.descend(0.1, 0.9);
        }
        std::vector<float> parameters(now.parameters.size()), velocity(parameters.size());
        net.get(parameters, velocity);
        CHECK(furthest(parameters, now.parameters) < 1e-4F);
        CHECK(furthest(velocity, now.velocity) < 1e-4F);
        auto const test = gather_images(data, data.test, {}, 0, data.test.size());
        auto const seen = host.classify(parameters, test);
        std::size_t right = 0;
        for (std::size_t i = 0; i < seen.size(); ++i) {
            right += seen[i] == test.labels[i] ? 1U : 0U;
        }
        CHECK(right * 10 > seen.size() * 8);
    }
    CHECK(math.live.empty());
}

TEST_CASE("a network that a device does not have") {
    network conv("conv", 8, 20, format::single);
    plain_math math;
    CHECK_THROWS(device_network(math, conv.tensors(), 64, 20, 30));
    CHECK(math.live.empty());
}
