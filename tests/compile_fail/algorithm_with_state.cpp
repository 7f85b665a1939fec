// SPDX-License-Identifier: BSD-3-Clause
// expect: has_no_state_but_a_parameter
// An algorithm has no state: its steps depend on rank, size, root and one parameter at most.
#include <collectives/schedule/check.hpp>

#include <string_view>

namespace coll = collectives;

struct moody {
    static constexpr std::string_view name = "moody";
    static constexpr int chunks(int) { return 1; }
    static constexpr void steps(coll::rank_t, int, coll::step_sink auto&&) {}
    int mood = 0;
};
auto const proof = coll::check(moody{}, 4);
