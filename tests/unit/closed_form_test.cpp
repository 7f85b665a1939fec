// SPDX-License-Identifier: BSD-3-Clause
// Closed forms of the cost: equal to what is counted from the steps, and quick for a million ranks.
#include <collectives/select/closed_form.hpp>
#include <collectives/select/cost_profile.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace coll = collectives;

namespace {

void compare(coll::any_algorithm a, int size, std::int64_t bytes) {
    CAPTURE(coll::name(a));
    CAPTURE(size);
    CAPTURE(bytes);
    auto const counted = a.cost_of(size, static_cast<std::size_t>(bytes));
    auto const known = coll::closed_form(a, size, bytes);
    CHECK(known.rounds == counted.rounds);
    CHECK(known.bytes == static_cast<std::int64_t>(counted.critical.bytes));
    CHECK(known.reduced == static_cast<std::int64_t>(counted.critical.reduced));
    CHECK(known.total == static_cast<double>(counted.total));
}

}  // namespace

TEST_CASE("closed forms are what is counted, for all small numbers of ranks and uneven vectors") {
    for (auto const a : coll::all_algorithms) {
        for (int size = 1; size <= 70; ++size) {
            for (auto const bytes : {0, 1, size - 1, size, size + 1, 1000, 65'537}) {
                compare(a, size, bytes);
            }
            auto const profile =
                coll::detail::cost_profile::of(a, coll::collective::all_reduce, size);
            CHECK(static_cast<double>(coll::closed_form(a, size, 1).messages) == profile.messages);
        }
        for (int const size : {96, 127, 128, 210, 255}) { compare(a, size, 100'003); }
    }
}

TEST_CASE("of hierarchical too") {
    for (int size = 1; size <= 48; ++size) {
        for (int per_host = 1; per_host <= size; ++per_host) {
            coll::hierarchical const a{per_host};
            if (!a.fits(size)) { continue; }
            for (auto const bytes : {1, size + 1, 1000, 65'537}) { compare(a, size, bytes); }
        }
    }
}

TEST_CASE("a million ranks take no time") {
    auto const start = std::chrono::steady_clock::now();
    for (auto const a : coll::all_algorithms) {
        for (int size = 999'983; size <= 1'000'000; ++size) {
            auto const c = coll::closed_form(a, size, std::int64_t{1} << 30);
            CHECK(c.rounds >= 1);
            CHECK(c.bytes > 0);
        }
    }
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
}

TEST_CASE("what has none says so") {
    CHECK_THROWS_WITH_AS(coll::closed_form(coll::hierarchical{3}, 4, 1),
                         "hierarchical:3 is not for 4 ranks", coll::usage_error);
    CHECK_THROWS_AS(coll::closed_form(coll::automatic{}, 4, 1), coll::usage_error);
    CHECK_THROWS_AS(coll::closed_form(coll::ring{}, 0, 1), coll::usage_error);
}
