// SPDX-License-Identifier: BSD-3-Clause
// The tensors that the tests of fusion add.
#pragma once

#include <conformance/world.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace fusion_tests {

namespace coll = collectives;
using conformance::expect;
using conformance::expect_throw;
using conformance::scramble;
using conformance::world;

/// Tensor i of a step, in one of three types: small whole numbers, so that sums are exact.
struct any_tensor {
    int type = 0;
    std::vector<float> floats;
    std::vector<double> doubles;
    std::vector<std::int32_t> ints;

    any_tensor(int of_type, std::size_t n) : type(of_type) {
        if (type == 0) { floats.resize(n); }
        if (type == 1) { doubles.resize(n); }
        if (type == 2) { ints.resize(n); }
    }
    template <class F>
    auto visit(F&& f) {
        if (type == 0) { return f(floats); }
        if (type == 1) { return f(doubles); }
        return f(ints);
    }
    static int value(int rank, std::uint64_t salt, std::size_t i) {
        return static_cast<int>(scramble(salt * 1000 + i) % 50) + 3 * rank;
    }
    void fill(int rank, std::uint64_t salt) {
        visit([&](auto& v) {
            for (std::size_t i = 0; i < v.size(); ++i) {
                v[i] = static_cast<std::decay_t<decltype(v[0])>>(value(rank, salt, i));
            }
        });
    }
    void require_sum(int size, std::uint64_t salt) {
        visit([&](auto& v) {
            for (std::size_t i = 0; i < v.size(); ++i) {
                int sum = 0;
                for (int r = 0; r < size; ++r) { sum += value(r, salt, i); }
                expect(v[i] == static_cast<std::decay_t<decltype(v[0])>>(sum),
                       [&] { return "tensor " + std::to_string(salt); });
            }
        });
    }
};

inline std::vector<any_tensor> mixed_tensors(std::size_t n) {
    std::vector<any_tensor> all;
    for (std::size_t i = 0; i < n; ++i) {
        auto const count = i % 7 == 3 ? 0 : i % 11 == 5 ? 3000 : scramble(i) % 60;
        all.emplace_back(static_cast<int>(scramble(i + 77) % 3), count);
    }
    return all;
}

constexpr std::array<std::size_t, 4> thresholds{0, 500, 8000, 64 << 20};

}  // namespace fusion_tests
