// SPDX-License-Identifier: BSD-3-Clause
// expect: counts_its_chunks
// An algorithm says into how many chunks it cuts the vector.
#include <collectives/schedule/check.hpp>

#include <string_view>

namespace coll = collectives;

struct uncut {
    static constexpr std::string_view name = "uncut";
    static constexpr void steps(coll::rank_t, int, coll::step_sink auto&&) {}
};
auto const proof = coll::check(uncut{}, 4);
