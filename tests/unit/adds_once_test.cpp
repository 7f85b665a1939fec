// SPDX-License-Identifier: BSD-3-Clause
#include <collectives/schedule.hpp>
#include <collectives/lower/adds_once.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace coll = collectives;

namespace {

bool pushes(coll::any_algorithm a, int size) {
    return coll::lowering::adds_once_for_all(a.record_all(coll::collective::all_reduce, size));
}

}  // namespace

TEST_CASE("two_shot adds each chunk up in one place, whatever the size") {
    for (int size = 2; size <= 33; ++size) {
        CAPTURE(size);
        CHECK(pushes(coll::two_shot{}, size));
        CHECK_FALSE(pushes(coll::one_shot{}, size));
    }
}

TEST_CASE("of two ranks all add up in one place that exchange halves, or have a root") {
    for (auto const a : coll::all_algorithms) {
        auto const name = std::string(a.name());
        CAPTURE(name);
        CHECK(pushes(a, 2) == (name != "butterfly" && name != "one_shot"));
    }
}

TEST_CASE("whoever passes partial sums on does not") {
    for (int const size : {3, 4, 5, 8}) {
        CAPTURE(size);
        CHECK_FALSE(pushes(coll::ring{}, size));
        CHECK_FALSE(pushes(coll::butterfly{}, size));
        CHECK_FALSE(pushes(coll::halving{}, size));
    }
}

TEST_CASE("a schedule in which another rank looks at a chunk does not") {
    auto const good =
        coll::any_algorithm(coll::two_shot{}).record_all(coll::collective::all_reduce, 3);
    for (std::size_t r = 0; r < good.size(); ++r) {
        for (std::size_t i = 0; i < good[r].steps.size(); ++i) {
            auto other = good;
            auto& chunk = other[r].steps[i].chunks.first;
            chunk = (chunk + 1) % 3;
            CAPTURE(r);
            CAPTURE(i);
            CHECK_FALSE(coll::lowering::adds_once_for_all(other));
        }
    }
}
