// SPDX-License-Identifier: BSD-3-Clause
// Algorithms as values: names, equality, and the same answers as the types give.
#include <collectives/algorithm/all.hpp>
#include <collectives/core/error.hpp>
#include <collectives/schedule/check.hpp>
#include <collectives/schedule/cost.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <type_traits>

namespace coll = collectives;
using coll::collective;

namespace {

/// Derived from an algorithm of the library, and wrong: nothing is added up.
struct derived : coll::ring {
    static constexpr std::string_view name = "derived";
    static constexpr void reduce_scatter(coll::rank_t, int, coll::step_sink auto&&) {}
};

struct hinted_ring : coll::ring {
    static constexpr std::string_view name = "hinted_ring";
    static constexpr coll::run_hints hints = {.split_whole_rounds = true};
};

}  // namespace

TEST_CASE("only the library's own types are believed without a proof") {
    CHECK(coll::any_algorithm(coll::ring{}).states_its_sums());
    coll::any_algorithm const a = derived{};
    CHECK_FALSE(a.states_its_sums());
    CHECK_FALSE(a.verdict(4).ok);
    CHECK(a.verdict(4) == a.check(4));
}

TEST_CASE("a verdict on what has no steps is not ok") {
    CHECK_FALSE(coll::any_algorithm().verdict(4).ok);
    CHECK_FALSE(coll::any_algorithm(coll::hierarchical{3}).verdict(4).ok);
    CHECK(coll::any_algorithm(coll::hierarchical{3}).verdict(6).ok);
}

TEST_CASE("a pointer and a parameter, automatic by default") {
    static_assert(sizeof(coll::any_algorithm) == 2 * sizeof(void*));
    static_assert(std::is_trivially_copyable_v<coll::any_algorithm>);
    static_assert(std::is_convertible_v<coll::ring, coll::any_algorithm>);
    static_assert(!std::is_convertible_v<int, coll::any_algorithm>);
    constexpr coll::any_algorithm a;
    CHECK(a.is_automatic());
    CHECK(a == coll::any_algorithm(coll::automatic{}));
    CHECK(name(a) == "automatic");
}

TEST_CASE("equal if the same type with the same parameter") {
    CHECK(coll::any_algorithm(coll::hierarchical{4}) == coll::hierarchical{4});
    CHECK(coll::any_algorithm(coll::hierarchical{4}) != coll::hierarchical{2});
    CHECK(coll::any_algorithm(coll::hierarchical{4}).is<coll::hierarchical>());
    CHECK_FALSE(coll::any_algorithm(coll::ring{}).is<coll::hierarchical>());
    CHECK(coll::any_algorithm(coll::ring{}) == coll::ring{});
    CHECK(coll::any_algorithm(coll::ring{}) != coll::tree{});
    CHECK(coll::any_algorithm(coll::ring{}) != coll::automatic{});
    CHECK_FALSE(coll::any_algorithm(coll::ring{}).is_automatic());
}

TEST_CASE("hints are those that the type states") {
    CHECK(coll::any_algorithm(coll::ring{}).hints().overlap_segments);
    CHECK_FALSE(coll::any_algorithm(coll::ring{}).hints().split_whole_rounds);
    CHECK(coll::any_algorithm(hinted_ring{}).hints().split_whole_rounds);
    CHECK_FALSE(coll::any_algorithm(coll::tree{}).hints().overlap_segments);
    CHECK_FALSE(coll::any_algorithm().hints().overlap_segments);
}

TEST_CASE("names go both ways") {
    CHECK(coll::algorithm_names.size() == 9);
    for (auto const n : coll::algorithm_names) { CHECK(name(coll::parse_algorithm(n)) == n); }
    CHECK(coll::parse_algorithm("automatic").is_automatic());
    CHECK(coll::parse_algorithm("ring") == coll::ring{});
    CHECK(coll::parse_algorithm("hierarchical:12") == coll::hierarchical{12});
    CHECK(name(coll::any_algorithm(coll::hierarchical{12})) == "hierarchical:12");
}

TEST_CASE("an unknown name is refused with the names that are known") {
    for (std::string const wrong :
         {"rign", "", "Ring", "ring ", "ring:4", "hierarchical", "hierarchical:", "hierarchical:0",
          "hierarchical:-2", "hierarchical:2x", "hierarchical:99999999999"}) {
        try {
            (void)coll::parse_algorithm(wrong);
            FAIL("accepted " << wrong);
        } catch (coll::usage_error const& e) {
            std::string const text = e.what();
            CHECK(text.find("\"" + wrong + "\"") != std::string::npos);
            for (auto const n : coll::algorithm_names) { CHECK(text.find(n) != std::string::npos); }
            CHECK(text.find("hierarchical:RANKS_PER_HOST") != std::string::npos);
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

TEST_CASE("answers are those of the parameter") {
    coll::any_algorithm const a = coll::hierarchical{3};
    CHECK(a.record_all(collective::all_reduce, 6) ==
          coll::record_all(coll::hierarchical{3}, collective::all_reduce, 6));
    CHECK(a.check(6) == coll::check(coll::hierarchical{3}, 6));
    CHECK(a.cost_of(6, 999).ranks == coll::cost_of(coll::hierarchical{3}, 6, 999).ranks);
    CHECK(a.record(collective::all_reduce, 0, 6) !=
          coll::any_algorithm(coll::hierarchical{2}).record(collective::all_reduce, 0, 6));
}

TEST_CASE("questions without an answer are usage errors") {
    coll::any_algorithm const fours = coll::hierarchical{4};
    CHECK(fours.fits(12));
    CHECK_FALSE(fours.fits(13));
    CHECK_THROWS_WITH_AS((void)fours.check(13), "hierarchical:4 is not for 13 ranks",
                         coll::usage_error);
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
