// SPDX-License-Identifier: BSD-3-Clause
// Rounds taken in two: as right as before, with the same bytes.
#include <collectives/schedule.hpp>
#include <collectives/schedule/any_algorithm.hpp>
#include <collectives/schedule/check.hpp>
#include <collectives/schedule/cost.hpp>
#include <collectives/schedule/split_rounds.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <vector>

namespace coll = collectives;
using coll::step;
using coll::verb;

TEST_CASE("reductions in halves are proved, and cost the same bytes") {
    constexpr std::size_t bytes = 1000;
    for (coll::any_algorithm const a : {coll::any_algorithm(coll::halving{}), {coll::ring{}}}) {
        for (auto const what : {coll::collective::all_reduce, coll::collective::reduce,
                                coll::collective::reduce_scatter}) {
            for (int size = 2; size <= 40; ++size) {
                auto all = a.record_all(what, size, 1);
                auto const before = coll::cost_of(std::span<coll::schedule const>(all), bytes);
                auto const rounds = coll::detail::whole_rounds(all);
                for (auto& s : all) { coll::detail::cut_in_halves(s, rounds); }
                CAPTURE(coll::name(a));
                CAPTURE(size);
                std::span<coll::schedule const> const ranks(all);
                CHECK(coll::check(ranks).ok);
                auto const after = coll::cost_of(ranks, bytes);
                CHECK(after.total == before.total);
                CHECK(after.busiest.sent == before.busiest.sent);
                CHECK(after.busiest.reduced == before.busiest.reduced);
                auto const folds = a.is<coll::halving>() && (size & (size - 1)) != 0;
                CHECK(rounds.empty() == !folds);
                CHECK(coll::detail::whole_rounds(all).empty());
            }
        }
    }
}

TEST_CASE("a range that goes on at the start is cut there too") {
    coll::schedule s{coll::collective::all_reduce, 2, 0, 0, 4, 2, {}};
    s.steps = {{0, verb::send, 1, {3, 4}}, {1, verb::recv_copy, 1, {1, 2}}};
    auto halved = s;
    coll::detail::cut_in_halves(halved, {0});
    CHECK(halved.rounds == 3);
    CHECK(halved.steps == std::vector<step>{{0, verb::send, 1, {0, 2}},
                                            {1, verb::send, 1, {3, 1}},
                                            {1, verb::send, 1, {2, 1}},
                                            {2, verb::recv_copy, 1, {1, 2}}});
}
