// SPDX-License-Identifier: BSD-3-Clause
// An order that is random to the eye and the same on every rank, machine and compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace trainer {

/// The numbers 0 .. count - 1 in the order that belongs to `seed`. std::shuffle is not used:
/// the standard leaves its order to the library, and ranks could disagree.
inline std::vector<std::size_t> shuffled(std::size_t count, std::uint32_t seed) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(seed);
    for (auto i = count; i > 1; --i) { std::swap(order[i - 1], order[random() % i]); }
    return order;
}

}  // namespace trainer
