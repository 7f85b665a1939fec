// SPDX-License-Identifier: BSD-3-Clause
// The checker itself: what it accepts, and by which words it refuses each kind of mistake.
#include <collectives/schedule.hpp>
#include <collectives/schedule/check.hpp>

#include <doctest/doctest.h>

#include <unit/hand_written.hpp>

#include <utility>
#include <vector>

namespace coll = collectives;
using coll::collective;
using coll::step;
using coll::verb;
using hand_written::add, hand_written::copy, hand_written::send, hand_written::verdict;

namespace {

// What is promised: constant evaluation up to 16 ranks under the compilers' default limits.
static_assert(coll::check(coll::star{}, 16).ok);
static_assert(coll::check(coll::tree{}, 16).ok);
static_assert(coll::check(coll::butterfly{}, 16).ok);
static_assert(coll::check(coll::halving{}, 16).ok);
static_assert(coll::check(coll::ring{}, 16).ok);
static_assert(coll::check(coll::circulant{}, 16).ok);
static_assert(coll::check(coll::one_shot{}, 16).ok);
static_assert(coll::check(coll::two_shot{}, 16).ok);
static_assert(coll::check(coll::mixed_radix{}, 16).ok);
static_assert(coll::check(coll::hierarchical{4}, 12).ok);
static_assert(coll::check(coll::hierarchical{2}, 16).ok);
static_assert(coll::check(coll::hierarchical{8}, 16).position_independent);
static_assert(!coll::check(coll::hierarchical{4}, 13).ok);
static_assert(coll::check(coll::ring{}, 13, collective::reduce_scatter).ok);
static_assert(coll::check(coll::halving{}, 13, collective::all_gather).ok);
static_assert(coll::check(coll::tree{}, 13, collective::gather, 5).ok);
static_assert(coll::check(coll::butterfly{}, 13, collective::all_to_all).ok);
static_assert(coll::check(coll::one_shot{}, 13).left_fold);
static_assert(!coll::check(coll::ring{}, 13).order_preserving);

}  // namespace

TEST_CASE("the smallest all-reduce is right") {
    auto const p = verdict({{send(0, 1), add(0, 1)}, {send(0, 0), add(0, 0)}}, 1, 1);
    CHECK(p.ok);
    CHECK(p.what == "correct");
    CHECK(p.rank == -1);
    CHECK(p.order_preserving);
    CHECK(p.position_independent);
    CHECK(p.left_fold);
    CHECK(static_cast<bool>(p));
}

TEST_CASE("one rank alone is right, and has every property") {
    for (auto const what : coll::scheduled_collectives) {
        auto const p = coll::check(coll::ring{}, 1, what);
        CHECK(p.ok);
        CHECK(p.left_fold);
        CHECK(p.order_preserving);
        CHECK(p.position_independent);
    }
}

TEST_CASE("messages must match") {
    CHECK(verdict({{send(0, 1)}, {}}, 1, 1).what == "a send has no receive");
    CHECK(verdict({{}, {add(0, 0)}}, 1, 1).what == "a receive has no send");
    CHECK(verdict({{send(0, 1)}, {add(1, 0)}}, 1, 2).what == "a send has no receive");
    CHECK(verdict({{send(1, 1)}, {add(0, 0)}}, 1, 2).what == "a receive has no send");
    CHECK(verdict({{send(0, 1, 0)}, {add(0, 0, 1)}}, 2, 1).what ==
          "a send and its receive name different chunks");
    CHECK(verdict({{send(0, 1, 0, 2)}, {add(0, 0, 0, 1)}}, 2, 1).what ==
          "a send and its receive name different chunks");
    // Crossed over: the first send belongs to the first receive.
    CHECK(verdict({{send(0, 1, 0), send(0, 1, 1)}, {add(0, 0, 1), add(0, 0, 0)}}, 2, 1).what ==
          "a send and its receive name different chunks");
}

TEST_CASE("a verdict says where") {
    auto const p = verdict({{send(0, 1, 2)}, {add(0, 0, 1)}}, 3, 1);
    CHECK_FALSE(p.ok);
    CHECK(p.rank == 1);
    CHECK(p.round == 0);
    CHECK(p.chunk == 1);
    CHECK_FALSE(p.order_preserving);
}

TEST_CASE("steps must be possible") {
    CHECK(verdict({{send(0, 2)}, {}}, 1, 1).what == "there is no such peer");
    CHECK(verdict({{send(0, -1)}, {}}, 1, 1).what == "there is no such peer");
    CHECK(verdict({{send(0, 0)}, {}}, 1, 1).what == "a rank talks to itself");
    CHECK(verdict({{send(0, 1, 1)}, {}}, 1, 1).what == "there are no such chunks");
    CHECK(verdict({{send(0, 1, -1)}, {}}, 1, 1).what == "there are no such chunks");
    CHECK(verdict({{send(0, 1, 0, 0)}, {}}, 1, 1).what == "there are no such chunks");
    CHECK(verdict({{send(0, 1, 0, 2)}, {}}, 1, 1).what == "there are no such chunks");
    CHECK(verdict({{send(1, 1), send(0, 1)}, {}}, 1, 2).what == "the rounds do not ascend");
    CHECK(verdict({{send(-1, 1)}, {}}, 1, 2).what == "the rounds do not ascend");
    CHECK(verdict({{send(2, 1)}, {}}, 1, 2).what == "there is no such round");
    CHECK(verdict({{}, {}}, 0, 0).what == "there are no ranks or no chunks");
    CHECK(verdict({{}, {}}, 3, 0, collective::all_gather).what ==
          "there must be one block per rank");
    CHECK(verdict({{}, {}}, 1, 0, collective::broadcast, 2).what == "there is no such root");
    CHECK(verdict({{}}, 1, 0, collective::send).what == "it has no schedule");
    CHECK(coll::check(std::vector<coll::schedule>{}).what == "there are no ranks or no chunks");
    CHECK(coll::check(coll::ring{}, 0).what == "there is no such size or root");
    CHECK(coll::check(coll::ring{}, 4, collective::reduce, 4).what ==
          "there is no such size or root");
}

TEST_CASE("schedules must belong together") {
    auto all = coll::record_all(coll::ring{}, collective::all_reduce, 4);
    CHECK(coll::check(all).ok);
    std::swap(all[1], all[2]);
    CHECK(coll::check(all).what == "the schedules do not belong together");
    all = coll::record_all(coll::ring{}, collective::all_reduce, 4);
    all.pop_back();
    CHECK(coll::check(all).what == "the schedules do not belong together");
}

TEST_CASE("contributions must arrive, and once") {
    CHECK(verdict({{}, {}}, 1, 0).what == "a contribution is missing");
    CHECK(verdict({{add(0, 1)}, {send(0, 0)}}, 1, 1).what == "a contribution is missing");
    CHECK(verdict({{send(0, 1), add(0, 1), send(1, 1), add(1, 1)},
                   {send(0, 0), add(0, 0), send(1, 0), add(1, 0)}},
                  1, 2)
              .what == "a contribution is added twice");
    CHECK(verdict({{add(0, 1), add(0, 1)}, {send(0, 0), send(0, 0)}}, 1, 1).what ==
          "a contribution is added twice");
    // A copy in the place of a sum loses the rank's own.
    CHECK(verdict({{send(0, 1), copy(0, 1)}, {send(0, 0), add(0, 0)}}, 1, 1).what ==
          "a copy replaces contributions it does not hold");
}

TEST_CASE("a round may not depend on timing") {
    auto const why = "a chunk is copied into and written again in one round";
    CHECK(verdict({{copy(0, 1), copy(0, 2)}, {send(0, 0)}, {send(0, 0)}}, 1, 1).what == why);
    CHECK(verdict({{copy(0, 1), add(0, 2)}, {send(0, 0)}, {send(0, 0)}}, 1, 1).what == why);
    CHECK(verdict({{add(0, 1), copy(0, 2)}, {send(0, 0)}, {send(0, 0)}}, 1, 1).what == why);
}

TEST_CASE("a send reads the value from before its round") {
    // Rank 1 forwards in the round in which it receives: that is still its own value.
    auto const p =
        verdict({{send(0, 1)}, {add(0, 0), send(0, 2)}, {add(0, 1)}}, 1, 1, collective::reduce, 2);
    CHECK(p.what == "a contribution is missing");
    CHECK(verdict({{send(0, 1)}, {add(0, 0), send(1, 2)}, {add(1, 1)}}, 1, 2, collective::reduce, 2)
              .ok);
}

TEST_CASE("different brackets on different ranks are refused: their bits would differ") {
    // Rank 0 ends with (0 1) (2 3), and gives it to 2 and 3; rank 1 adds all four at once.
    auto const p = verdict({{send(0, 1), add(0, 1), add(1, 2), send(2, 2), send(2, 3)},
                            {send(0, 0), add(0, 0), add(0, 2), add(0, 3)},
                            {send(0, 1), add(0, 3), send(1, 0), copy(2, 0)},
                            {send(0, 1), send(0, 2), copy(2, 0)}},
                           1, 3);
    CHECK(p.what == "the ranks bracket the sum differently");
    CHECK(p.rank == 1);
    // The same, but 1 gets the result of 0 as well.
    auto const q = verdict({{send(0, 1), add(0, 1), add(1, 2), send(2, 2), send(2, 3), send(2, 1)},
                            {send(0, 0), add(0, 0), add(0, 2), add(0, 3), copy(2, 0)},
                            {send(0, 1), add(0, 3), send(1, 0), copy(2, 0)},
                            {send(0, 1), send(0, 2), copy(2, 0)}},
                           1, 3);
    CHECK(q.ok);
}

TEST_CASE("nobody sends what it does not hold") {
    CHECK(verdict({{send(0, 1, 1)}, {copy(0, 0, 1)}}, 2, 1, collective::all_gather).what ==
          "a rank sends a chunk it does not hold");
    CHECK(verdict({{copy(0, 1)}, {send(0, 0)}}, 1, 1, collective::broadcast).what ==
          "a rank sends a chunk it does not hold");
}

TEST_CASE("what only moves blocks may not add, and must deliver") {
    CHECK(verdict({{send(0, 1)}, {add(0, 0)}}, 1, 1, collective::broadcast).what ==
          "a collective that only moves blocks adds");
    CHECK(verdict({{send(0, 1, 0)}, {copy(0, 0, 0)}}, 2, 1, collective::all_gather).what ==
          "a block is missing");
    CHECK(verdict({{send(0, 1, 1)}, {copy(0, 0, 1)}}, 2, 1, collective::scatter).ok);
    CHECK(verdict({{copy(0, 1, 1)}, {send(0, 0, 1)}}, 2, 1, collective::gather).ok);
    // In all_to_all a send names a block of the input, a receive one of the output.
    CHECK(verdict({{send(0, 1, 1), copy(0, 1, 1)}, {send(0, 0, 0), copy(0, 0, 0)}}, 2, 1,
                  collective::all_to_all)
              .ok);
    CHECK(verdict({{send(0, 1, 0), copy(0, 1, 1)}, {send(0, 0, 0), copy(0, 0, 0)}}, 2, 1,
                  collective::all_to_all)
              .what == "a block is missing");
}

TEST_CASE("ranges may wrap around the end") {
    CHECK(verdict({{send(0, 1, 2, 2), copy(1, 1, 1, 3)}, {add(0, 0, 2, 2), send(1, 0, 1, 3)}}, 3, 2)
              .what == "a copy replaces contributions it does not hold");
    CHECK(verdict({{send(0, 1, 2, 3), copy(1, 1, 1, 3)}, {add(0, 0, 2, 3), send(1, 0, 1, 3)}}, 3, 2)
              .ok);
}

TEST_CASE("the order of operands follows the ranks, not the steps") {
    auto const p = verdict({{send(0, 1), copy(1, 1)},
                            {add(0, 2), add(0, 0), send(1, 0), send(1, 2)},
                            {send(0, 1), copy(1, 1)}},
                           1, 2);
    CHECK(p.ok);
    CHECK(p.left_fold);
}

TEST_CASE("properties are derived from the brackets") {
    // (0 2) 1: not over consecutive ranks.
    auto const p = verdict({{add(0, 2), add(1, 1), send(2, 1), send(2, 2)},
                            {send(1, 0), copy(2, 0)},
                            {send(0, 0), copy(2, 0)}},
                           1, 3);
    CHECK(p.ok);
    CHECK_FALSE(p.order_preserving);
    CHECK_FALSE(p.left_fold);
    CHECK(p.position_independent);
    // (0 1) 2: over consecutive ranks, but in two sums.
    auto const q =
        verdict({{add(0, 1), add(1, 2)}, {send(0, 0)}, {send(1, 0)}}, 1, 2, collective::reduce);
    CHECK(q.ok);
    CHECK(q.order_preserving);
    CHECK_FALSE(q.left_fold);
    // Chunk 0 as (0 1) 2, chunk 1 as 0 (1 2): the bits of an element depend on where it stands.
    auto const r = verdict({{add(0, 1, 0), add(1, 2, 0), add(1, 1, 1)},
                            {send(0, 0, 0), add(0, 2, 1), send(1, 0, 1)},
                            {send(0, 1, 1), send(1, 0, 0)}},
                           2, 2, collective::reduce);
    CHECK(r.ok);
    CHECK(r.order_preserving);
    CHECK_FALSE(r.position_independent);
}
