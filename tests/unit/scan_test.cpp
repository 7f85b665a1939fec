// SPDX-License-Identifier: BSD-3-Clause
// scan and exscan: what the checker accepts and refuses, and what the algorithms' pages say of
// them.
#include <collectives/algorithm/all.hpp>
#include <collectives/schedule/check.hpp>
#include <collectives/schedule/cost.hpp>

#include <doctest/doctest.h>

#include <unit/hand_written.hpp>

#include <cstddef>
#include <vector>

namespace coll = collectives;
using coll::collective;
using coll::step;
using coll::verb;
using hand_written::add, hand_written::copy, hand_written::send, hand_written::verdict;

namespace {

static_assert(coll::check(coll::tree{}, 16, collective::scan).order_preserving);
static_assert(coll::check(coll::ring{}, 16, collective::exscan).position_independent);
static_assert(coll::check(coll::star{}, 16, collective::scan).left_fold);
static_assert(!coll::check(coll::butterfly{}, 4, collective::scan).left_fold);

/// Family (c) with a scan of its own, over two chunks: a chain without a pipeline.
struct scan_chain {
    static constexpr std::string_view name = "chain";
    static constexpr int chunks(int) { return 2; }
    static constexpr void steps(coll::rank_t me, int size, auto&& emit) {
        for (coll::rank_t r = 0; r < size; ++r) {
            if (r != me) { emit(step{0, verb::send, r, {0, 2}}); }
        }
        for (coll::rank_t r = 0; r < size; ++r) {
            if (r != me) { emit(step{0, verb::recv_reduce, r, {0, 2}}); }
        }
    }
    static constexpr void scan(coll::rank_t me, int size, auto&& emit) {
        if (me > 0) { emit(step{me - 1, verb::recv_reduce, me - 1, {0, 2}}); }
        if (me + 1 < size) { emit(step{me, verb::send, me + 1, {0, 2}}); }
    }
};

}  // namespace

TEST_CASE("a scan of a user's algorithm is proved, and gives its exscan") {
    for (int size = 1; size <= 17; ++size) {
        for (auto const what : {collective::scan, collective::exscan}) {
            auto const p = coll::check(scan_chain{}, size, what);
            CHECK(p.ok);
            CHECK(p.order_preserving);
            CHECK(p.position_independent);
            CHECK(p.left_fold == (coll::reduced_ranks(what, size, size - 1) <= 2));
            CHECK(coll::detail::chunks_of(scan_chain{}, what, size) ==
                  (size > 1 || what == collective::scan ? 2 : 1));
        }
    }
}

TEST_CASE("the bounds of scans") {
    auto const bound = [](collective what) {
        return coll::cost_of(coll::ring{}, 6, 600, what).bound;
    };
    CHECK(bound(collective::scan).rounds == 3);
    CHECK(bound(collective::scan).sent == 600);
    CHECK(bound(collective::scan).reduced == 500);
    CHECK(bound(collective::exscan).sent == 600);
    CHECK(bound(collective::exscan).reduced == 400);
}

TEST_CASE("what the headers say of scans") {
    std::size_t const n = 4096 * 3 * 5;
    for (int p = 2; p <= 40; ++p) {
        auto const of = [&](coll::any_algorithm a) { return a.cost_of(p, n, collective::scan); };
        auto const up = static_cast<std::size_t>(coll::ceil_log2(p));
        auto const ring = of(coll::ring{});
        CHECK(ring.rounds == 2 * (p - 1));
        CHECK(ring.busiest.sent == n);
        CHECK(ring.busiest.reduced == n);
        auto const butterfly = of(coll::butterfly{});
        CHECK(butterfly.rounds == coll::ceil_log2(p));
        CHECK(butterfly.busiest.sent == up * n);
        CHECK(butterfly.busiest.reduced == up * n);
        auto const tree = of(coll::tree{});
        CHECK(tree.rounds <= 2 * coll::floor_log2(p));
        CHECK(tree.total < 2 * static_cast<std::size_t>(p) * n);
        auto const star = of(coll::star{});
        CHECK(star.rounds == 1);
        CHECK(star.busiest.sent == static_cast<std::size_t>(p - 1) * n);
    }
}

TEST_CASE("a scan gives each rank the ranks up to its own, and no others") {
    std::vector<step> const none, first{send(0, 1), send(0, 2)}, second{send(0, 2), add(0, 0)},
        third{add(0, 0), add(0, 1)};
    auto const p = verdict({first, second, third}, 1, 1, collective::scan);
    CHECK(p.ok);
    CHECK(p.left_fold);
    CHECK(verdict({{send(0, 1)}, {add(0, 0)}, none}, 1, 1, collective::scan).what ==
          "a contribution is missing");
    // What an all_reduce asks for is too much.
    CHECK(
        verdict({{send(0, 1), add(0, 1)}, {send(0, 0), add(0, 0)}}, 1, 1, collective::scan).what ==
        "a contribution is missing");
    // The ranks need not bracket alike: 0 + 1 + 2, and (0 + 1) + 2 on rank 2.
    auto const chain =
        verdict({{send(0, 1)}, {add(0, 0), send(1, 2)}, {add(1, 1)}}, 1, 2, collective::scan);
    CHECK(chain.ok);
    CHECK(chain.order_preserving);
    CHECK_FALSE(chain.left_fold);
    // Chunk 0 by one sum, chunk 1 by a chain.
    auto const mixed = verdict({{send(0, 1, 0, 2), send(0, 2)},
                                {add(0, 0, 0, 2), send(0, 2), send(1, 2, 1)},
                                {add(0, 0), add(0, 1), add(1, 1, 1)}},
                               2, 2, collective::scan);
    CHECK(mixed.ok);
    CHECK_FALSE(mixed.position_independent);
}

TEST_CASE("an exscan may forget the rank's own contribution, and nothing else") {
    CHECK(verdict({{send(0, 1)}, {copy(0, 0)}}, 1, 1, collective::exscan).ok);
    CHECK(verdict({{send(0, 1)}, {add(0, 0)}}, 1, 1, collective::exscan).what ==
          "a contribution is missing");
    CHECK(verdict({{send(0, 1)}, {copy(0, 0)}}, 1, 1, collective::scan).what ==
          "a copy replaces contributions it does not hold");
    std::vector<step> const shifts{send(0, 2), copy(0, 0), send(1, 2)};
    CHECK(verdict({{send(0, 1)}, shifts, {copy(0, 1), add(1, 1)}}, 1, 2, collective::exscan).ok);
    CHECK(
        verdict({{send(0, 1)}, shifts, {copy(0, 1), copy(1, 1)}}, 1, 2, collective::exscan).what ==
        "a copy replaces contributions it does not hold");
    CHECK(verdict({{}, {}}, 1, 0, collective::exscan).what == "a contribution is missing");
}
