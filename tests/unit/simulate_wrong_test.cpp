// SPDX-License-Identifier: BSD-3-Clause
// The simulator on wrong schedules: it ends, and says what is wrong where.
#include <collectives/algorithm/all.hpp>
#include <collectives/schedule/check.hpp>
#include <collectives/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace coll = collectives;
using coll::collective;
using coll::step;
using coll::verb;

TEST_CASE("wrong schedules end with a verdict") {
    step const send{0, verb::send, 1, {0, 1}}, receive{0, verb::recv_copy, 0, {0, 1}};
    auto const verdict = [](std::vector<step> const& zero, std::vector<step> const& one) {
        auto const t = coll::simulate(
            std::vector<coll::schedule>{{collective::all_reduce, 2, 0, 0, 1, 2, zero},
                                        {collective::all_reduce, 2, 1, 0, 1, 2, one}},
            8, {.latency = 1});
        return t.ok ? std::string("ok")
                    : "rank " + std::to_string(t.rank) + ", round " + std::to_string(t.round) +
                          ": " + std::string(t.what);
    };
    CHECK(verdict({send}, {receive}) == "ok");
    CHECK(verdict({}, {receive}) == "rank 1, round 0: a receive has no send");
    CHECK(verdict({send}, {}) == "rank 0, round 0: a send has no receive");
    CHECK(verdict({send}, {receive, receive}) == "rank 1, round 0: a receive has no send");
    CHECK(verdict({{1, verb::send, 1, {0, 1}}}, {receive}) ==
          "rank 1, round 0: a receive has no send");
    CHECK(verdict({{1, verb::recv_copy, 1, {0, 1}}, {0, verb::send, 1, {0, 1}}},
                  {receive, {1, verb::send, 0, {0, 1}}}) ==
          "rank 0, round 0: the rounds do not ascend");
    CHECK(verdict({{0, verb::send, 2, {0, 1}}}, {}) == "rank 0, round 0: there is no such peer");
    CHECK(verdict({{0, verb::send, -1, {0, 1}}}, {}) == "rank 0, round 0: there is no such peer");
    CHECK(verdict({{0, verb::send, 0, {0, 1}}}, {}) == "rank 0, round 0: a rank talks to itself");
    CHECK(verdict({{0, verb::send, 1, {0, 2}}}, {receive}) ==
          "rank 0, round 0: there are no such chunks");
    CHECK(verdict({{0, verb::send, 1, {1, 1}}}, {receive}) ==
          "rank 0, round 0: there are no such chunks");
}

TEST_CASE("what the checker finds right can be simulated, and no mutation hangs") {
    auto all = coll::record_all(coll::ring{}, collective::all_reduce, 3);
    int refused = 0;
    for (auto& own : all) {
        for (auto& s : own.steps) {
            step const was = s;
            for (int field = 0; field < 5; ++field) {
                for (int value = -1; value < 5; ++value) {
                    s = was;
                    (field == 0   ? s.round
                     : field == 1 ? s.peer
                     : field == 2 ? s.chunks.first
                                  : s.chunks.count) = value;
                    if (field == 4) { s.what = static_cast<verb>((value + 4) % 3); }
                    bool const right = coll::check(all).ok;
                    bool const simulated = coll::simulate(all, 99, {.latency = 1}).ok;
                    CHECK((simulated || !right));
                    refused += simulated ? 0 : 1;
                }
            }
            s = was;
        }
    }
    CHECK(refused > 100);
}
