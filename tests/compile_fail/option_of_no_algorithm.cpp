// SPDX-License-Identifier: BSD-3-Clause
// expect: emits_an_all_reduce
// Half an algorithm does not convert to what `.algorithm` takes.
#include <collectives/schedule/any_algorithm.hpp>

#include <string_view>

namespace coll = collectives;

struct half {
    static constexpr std::string_view name = "half";
    static constexpr int chunks(int size) { return size; }
    static constexpr void reduce_scatter(coll::rank_t, int, coll::step_sink auto&&) {}
};
coll::any_algorithm const chosen{half{}};
