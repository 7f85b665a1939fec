// SPDX-License-Identifier: BSD-3-Clause
// expect: has_a_name
// An algorithm has a name.
#include <collectives/schedule/check.hpp>

#include <string_view>

namespace coll = collectives;

struct nameless {
    static constexpr int chunks(int) { return 1; }
    static constexpr void steps(coll::rank_t, int, coll::step_sink auto&&) {}
};
auto const proof = coll::check(nameless{}, 4);
