// SPDX-License-Identifier: BSD-3-Clause
// expect: emits_an_all_reduce
// A type that emits nothing is no algorithm.
#include <collectives/schedule/check.hpp>

#include <string_view>

namespace coll = collectives;

struct silent {
    static constexpr std::string_view name = "silent";
    static constexpr int chunks(int) { return 1; }
};
auto const proof = coll::check(silent{}, 4);
