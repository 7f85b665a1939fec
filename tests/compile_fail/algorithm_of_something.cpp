// SPDX-License-Identifier: BSD-3-Clause
// expect: is_made_of_nothing
// An algorithm can be made without anything being said.
#include <collectives/schedule/check.hpp>

#include <string_view>

namespace coll = collectives;

struct demanding {
    explicit constexpr demanding(int) {}
    static constexpr std::string_view name = "demanding";
    static constexpr int chunks(int) { return 1; }
    static constexpr void steps(coll::rank_t, int, coll::step_sink auto&&) {}
};
auto const proof = coll::check(demanding{1}, 4);
