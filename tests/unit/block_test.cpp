// SPDX-License-Identifier: BSD-3-Clause
// How a vector is cut into blocks, and the small words of core/types.hpp.
#include <collectives/core/types.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>

namespace coll = collectives;

static_assert(coll::block(10, 4, 0) == coll::extent{0, 3});
static_assert(coll::block(10, 4, 1) == coll::extent{3, 3});
static_assert(coll::block(10, 4, 2) == coll::extent{6, 2});
static_assert(coll::block(10, 4, 3) == coll::extent{8, 2});
static_assert(coll::block(0, 3, 2) == coll::extent{0, 0});
static_assert(coll::block(2, 3, 2) == coll::extent{2, 0});

TEST_CASE("blocks cover a vector without gap or overlap, the longer ones first") {
    for (std::size_t count = 0; count <= 70; ++count) {
        for (int parts = 1; parts <= 20; ++parts) {
            std::size_t next = 0;
            for (int i = 0; i < parts; ++i) {
                auto const b = coll::block(count, parts, i);
                auto const longer =
                    static_cast<std::size_t>(i) < count % static_cast<std::size_t>(parts);
                REQUIRE(b.first == next);
                REQUIRE(b.size == count / static_cast<std::size_t>(parts) + (longer ? 1 : 0));
                next += b.size;
            }
            REQUIRE(next == count);
        }
    }
}

TEST_CASE("blocks of vectors too long for 32 bits") {
    auto const count = (std::size_t{1} << 40) + 5;
    CHECK(coll::block(count, 8, 0).size == (std::size_t{1} << 37) + 1);
    CHECK(coll::block(count, 8, 7).first + coll::block(count, 8, 7).size == count);
    CHECK(coll::block(SIZE_MAX, 2, 0) == coll::extent{0, (std::size_t{1} << 63)});
    CHECK(coll::block(SIZE_MAX, 2, 1) == coll::extent{std::size_t{1} << 63, SIZE_MAX / 2});
}

TEST_CASE("logarithms round to the side their names say") {
    for (int n = 1; n <= 5000; ++n) {
        int const up = coll::ceil_log2(n);
        int const down = coll::floor_log2(n);
        REQUIRE((1 << up) >= n);
        REQUIRE((up == 0 || (1 << (up - 1)) < n));
        REQUIRE((1 << down) <= n);
        REQUIRE((2 << down) > n);
    }
    CHECK(coll::floor_log2(2147483647) == 30);
    CHECK(coll::ceil_log2(2147483647) == 31);
}

TEST_CASE("every collective has a name of its own") {
    std::set<std::string_view> names;
    for (auto const what : coll::scheduled_collectives) { names.insert(coll::name(what)); }
    CHECK(names.size() == coll::scheduled_collectives.size());
    CHECK(coll::name(coll::collective::all_reduce) == "all_reduce");
    CHECK(coll::name(coll::collective::barrier) == "barrier");
    CHECK(coll::name(coll::collective::allocate) == "allocate");
}
