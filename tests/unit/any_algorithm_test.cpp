// SPDX-License-Identifier: BSD-3-Clause
// Algorithms as values: names, equality, and the same answers as the types give.
#include <collectives/algorithm/all.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

namespace coll = collectives;
using coll::collective;

TEST_CASE("one pointer, automatic by default") {
    static_assert(sizeof(coll::any_algorithm) == sizeof(void*));
    static_assert(std::is_trivially_copyable_v<coll::any_algorithm>);
    static_assert(std::is_convertible_v<coll::ring, coll::any_algorithm>);
    static_assert(!std::is_convertible_v<int, coll::any_algorithm>);
    constexpr coll::any_algorithm a;
    CHECK(a.is_automatic());
    CHECK(a == coll::any_algorithm(coll::automatic{}));
    CHECK(name(a) == "automatic");
}

TEST_CASE("equal if the same type") {
    CHECK(coll::any_algorithm(coll::ring{}) == coll::ring{});
    CHECK(coll::any_algorithm(coll::ring{}) != coll::tree{});
    CHECK(coll::any_algorithm(coll::ring{}) != coll::automatic{});
    CHECK_FALSE(coll::any_algorithm(coll::ring{}).is_automatic());
}

TEST_CASE("names go both ways") {
    CHECK(coll::algorithm_names.size() == 9);
    for (auto const n : coll::algorithm_names) { CHECK(name(coll::parse_algorithm(n)) == n); }
    CHECK(coll::parse_algorithm("automatic").is_automatic());
    CHECK(coll::parse_algorithm("ring") == coll::ring{});
}

TEST_CASE("an unknown name is refused with the names that are known") {
    for (std::string const wrong : {"rign", "", "Ring", "ring "}) {
        try {
            (void)coll::parse_algorithm(wrong);
            FAIL("accepted " << wrong);
        } catch (coll::usage_error const& e) {
            std::string const text = e.what();
            CHECK(text.find("\"" + wrong + "\"") != std::string::npos);
            for (auto const n : coll::algorithm_names) { CHECK(text.find(n) != std::string::npos); }
        }
    }
}

TEST_CASE("answers are those of the type") {
    coll::any_algorithm const a = coll::halving{};
    for (auto const what : coll::scheduled_collectives) {
        CHECK(a.check(6, what) == coll::check(coll::halving{}, 6, what));
        CHECK(a.record(what, 3, 6) == coll::record(coll::halving{}, what, 3, 6));
        CHECK(a.record_all(what, 6) == coll::record_all(coll::halving{}, what, 6));
        auto const c = a.cost_of(6, 999, what);
        auto const d = coll::cost_of(coll::halving{}, 6, 999, what);
        CHECK(c.ranks == d.ranks);
        CHECK(c.rounds == d.rounds);
        CHECK(c.bound.sent == d.bound.sent);
    }
}

TEST_CASE("questions without an answer are usage errors") {
    coll::any_algorithm const none;
    CHECK_THROWS_AS((void)none.record(collective::all_reduce, 0, 4), coll::usage_error);
    CHECK_THROWS_AS((void)none.check(4), coll::usage_error);
    CHECK_THROWS_AS((void)none.cost_of(4, 100), coll::usage_error);
    coll::any_algorithm const a = coll::ring{};
    CHECK_THROWS_AS((void)a.check(0), coll::usage_error);
    CHECK_THROWS_AS((void)a.check(4, collective::reduce, 4), coll::usage_error);
    CHECK_THROWS_AS((void)a.check(4, collective::reduce, -1), coll::usage_error);
    CHECK_THROWS_AS((void)a.record(collective::all_reduce, 4, 4), coll::usage_error);
}
