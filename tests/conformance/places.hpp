// SPDX-License-Identifier: BSD-3-Clause
// Cuts drawn at random.
#pragma once

#include <conformance/world.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace conformance {

/// Numbers that depend on a seed alone.
class numbers {
public:
    explicit numbers(std::uint64_t seed) : seed_(scramble(seed)) {}
    std::size_t below(std::size_t n) { return (seed_ = scramble(seed_)) % n; }

private:
    std::uint64_t seed_;
};

/// Where the blocks of a vector are.
struct places {
    std::vector<int> counts;
    std::vector<std::uint64_t> firsts;
    std::size_t whole = 0;  // elements of the vector

    auto cut() const { return coll::cut{counts, firsts}; }
    std::size_t size_of(std::size_t r) const { return static_cast<std::size_t>(counts[r]); }
    std::size_t first_of(std::size_t r) const { return static_cast<std::size_t>(firsts[r]); }
};

/// Places these blocks in some order, with gaps between most. An empty one is far outside.
inline places placed(std::vector<int> counts, numbers& pick) {
    places result{std::move(counts), {}, pick.below(3)};
    auto const size = result.counts.size();
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (auto i = size; i > 1; --i) { std::swap(order[i - 1], order[pick.below(i)]); }
    result.firsts.resize(size);
    for (auto const r : order) {
        result.firsts[r] = result.counts[r] == 0 ? ~std::uint64_t{0} : result.whole;
        result.whole += result.size_of(r) + (pick.below(3) == 0 ? 0 : pick.below(9));
    }
    return result;
}
inline std::vector<int> some_counts(std::size_t size, int most, numbers& pick) {
    std::vector<int> result(size);
    for (auto& n : result) {
        n = pick.below(4) == 0 ? 0
                               : 1 + static_cast<int>(pick.below(static_cast<std::size_t>(most)));
    }
    return result;
}

}  // namespace conformance
