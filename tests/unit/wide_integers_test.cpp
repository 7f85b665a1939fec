// SPDX-License-Identifier: BSD-3-Clause
// Integers of 128 bits, which are numbers where the compiler's own dialect is on (-std=gnu++20).
#include <collectives/core/op.hpp>

#include <doctest/doctest.h>

namespace coll = collectives;

__extension__ using wide = __int128;
__extension__ using unsigned_wide = unsigned __int128;

static_assert(coll::number<wide> && coll::number<unsigned_wide>);

TEST_CASE("sums, products and averages of 128 bits keep all of them") {
    wide const big = wide{1} << 100;
    CHECK(coll::sum{}(wide{-1}, wide{-1}) == wide{-2});
    CHECK(coll::sum{}(big, big) == wide{1} << 101);
    CHECK(coll::product{}(wide{1} << 40, wide{1} << 40) == wide{1} << 80);
    CHECK(coll::product{}(wide{-3}, big) == -3 * big);
    CHECK(coll::average{}.finish(-big, 2) == -(wide{1} << 99));
    CHECK(coll::average{}.finish(~unsigned_wide{0}, 2) == ~unsigned_wide{0} >> 1);
    CHECK(coll::max{}(big, wide{7}) == big);
}
