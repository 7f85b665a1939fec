// SPDX-License-Identifier: BSD-3-Clause
// The simulator: cases computed by hand, the cost model as its special case, and no anomaly: a
// larger price makes nobody earlier.
#include <collectives/algorithm/all.hpp>
#include <collectives/schedule/check.hpp>
#include <collectives/schedule/simulate.hpp>

#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace coll = collectives;
using coll::collective;
using coll::step;
using coll::verb;

namespace {

using schedules = std::vector<coll::schedule>;

schedules made(int size, int chunks, std::vector<std::vector<step>> const& steps) {
    schedules result;
    for (coll::rank_t r = 0; r < size; ++r) {
        result.push_back(
            {collective::all_reduce, size, r, 0, chunks, 9, steps[static_cast<std::size_t>(r)]});
    }
    return result;
}

coll::timeline of(coll::any_algorithm a, int size, std::uint64_t bytes, coll::loggp const& network,
                  collective what = collective::all_reduce) {
    auto const all = a.record_all(what, size);
    return coll::simulate(all, bytes, network);
}

/// Whether all ranks send, receive and add the same number of bytes in each round.
bool is_balanced(schedules const& all, std::uint64_t bytes) {
    auto const rounds_of = [&](coll::schedule const& own) {
        std::vector<coll::traffic> rounds(static_cast<std::size_t>(own.rounds));
        for (auto const& s : own.steps) {
            auto& round = rounds[static_cast<std::size_t>(s.round)];
            auto const n = coll::detail::bytes_of(s.chunks, own.chunks, bytes);
            (s.what == verb::send ? round.sent : round.received) += n;
            if (s.what == verb::recv_reduce) { round.reduced += n; }
        }
        return rounds;
    };
    auto const first = rounds_of(all[0]);
    return std::all_of(all.begin(), all.end(),
                       [&](auto const& own) { return rounds_of(own) == first; });
}

/// That the times of a step are in order, and that what it waited for had begun.
void check_waits(schedules const& all, coll::timeline const& t) {
    for (coll::rank_t r = 0; r < all[0].size; ++r) {
        for (int i = t.first[static_cast<std::size_t>(r)];
             i < t.first[static_cast<std::size_t>(r) + 1]; ++i) {
            auto const& e = t.events[static_cast<std::size_t>(i)];
            CHECK(e.begin <= e.moves);
            CHECK(e.moves <= e.moved);
            CHECK(e.moved <= e.end);
            CHECK(e.end <= t.total);
            if (e.waited_for < 0) { continue; }
            CHECK(t.events[static_cast<std::size_t>(e.waited_for)].begin <= e.moves);
        }
    }
}

}  // namespace

TEST_CASE("one message takes latency, two overheads and its bytes") {
    auto const all = made(2, 1, {{{0, verb::send, 1, {0, 1}}}, {{0, verb::recv_copy, 0, {0, 1}}}});
    auto const t = coll::simulate(all, 100, {.latency = 10, .overhead = 3, .gap = 50, .byte = 0.1});
    CHECK(t.ok);
    CHECK(t.done == std::vector<double>{13, 26});
    CHECK(t.events[0].begin == 0);
    CHECK(t.events[0].moves == 3);
    CHECK(t.events[0].moved == 13);
    CHECK(t.events[1].begin == 13);
    CHECK(t.events[1].moved == 23);
    CHECK(t.total == 26);
    CHECK(t.path == std::vector<int>{0, 1});
}

TEST_CASE("two ranks, a ring") {
    // A round: handed over 3, latency 10, 50 bytes 5, taken 3; and 10 for the bytes added.
    auto const t = of(coll::ring{}, 2, 100, {10, 3, 0, 0.1, 0.2, {}, {}});
    CHECK(t.done == std::vector<double>{52, 52});
    CHECK(t.events[1].end == 31);
    CHECK(t.events[2].begin == 31);
    CHECK(t.path.size() == 4);
}

TEST_CASE("messages of a rank share its ports and its processor") {
    // Rank 0 sends to 1 and 2, 10 bytes each; both answer in the next round, in which it adds.
    auto const all = made(3, 1,
                          {{{0, verb::send, 1, {0, 1}},
                            {0, verb::send, 2, {0, 1}},
                            {1, verb::recv_reduce, 1, {0, 1}},
                            {1, verb::recv_reduce, 2, {0, 1}}},
                           {{0, verb::recv_copy, 0, {0, 1}}, {1, verb::send, 0, {0, 1}}},
                           {{0, verb::recv_copy, 0, {0, 1}}, {1, verb::send, 0, {0, 1}}}});
    SUBCASE("bytes") {
        auto const t = coll::simulate(all, 10, {.latency = 1, .byte = 1, .added = 2});
        CHECK(t.events[1].moves == 10);  // when the first has left
        CHECK(t.done[1] == 21);          // has it at 11, answers by 21
        CHECK(t.done[2] == 31);          // has it at 21
        CHECK(t.events[2].begin == 20);  // it came at 12, but rank 0 is in round 1 from 20 on
        CHECK(t.events[2].moved == 30);
        CHECK(t.events[3].moved == 40);  // it came at 32
        CHECK(t.events[2].end == 80);    // 20 bytes added when both are in
        CHECK(t.total == 80);
    }
    SUBCASE("the gap") {
        auto const t = coll::simulate(all, 10, {.latency = 1, .gap = 5, .byte = 1});
        CHECK(t.events[1].moves == 15);
        CHECK(t.total == 50);  // in round 1 from 25 on: takes one until 35, shut until 40
    }
    SUBCASE("the processor") {
        auto const t = coll::simulate(all, 10, {.latency = 1, .overhead = 20, .byte = 1});
        CHECK(t.events[1].begin == 20);
        CHECK(t.events[1].moves == 40);   // handed over while the first left
        CHECK(t.events[2].moved == 82);   // back from 1: 51 + 20 + 1 + 10
        CHECK(t.events[3].begin == 102);  // it came at 92, when the processor was taking the other
        CHECK(t.total == 132);
    }
}

TEST_CASE("a ring of three") {
    coll::loggp network{.latency = 1, .byte = 0.01, .added = 0.02};
    CHECK(of(coll::ring{}, 3, 300, network).done == std::vector<double>{12, 12, 12});
    SUBCASE("with a late rank") {
        network.late = {0, 100, 0};
        auto const t = of(coll::ring{}, 3, 300, network);
        CHECK(t.done == std::vector<double>{110, 111, 112});
        REQUIRE(t.path.size() > 0);
        auto const& first = t.events[static_cast<std::size_t>(t.path.front())];
        CHECK(first.waited_for == -1);
        CHECK(first.begin == 100);
        CHECK(t.path.front() >= t.first[1]);
        CHECK(t.path.front() < t.first[2]);
    }
    SUBCASE("with a slow link") {
        network.slow = {{0, 1, 3}};
        CHECK(of(coll::ring{}, 3, 300, network).done == std::vector<double>{17, 20, 18});
    }
}

TEST_CASE("a round is over when its sends have left, too") {
    std::vector<step> const zero{{0, verb::send, 1, {0, 1}}, {0, verb::recv_copy, 1, {0, 1}}};
    std::vector<step> const one{{0, verb::send, 0, {0, 1}}, {0, verb::recv_copy, 0, {0, 1}}};
    auto const t =
        coll::simulate(made(2, 1, {zero, one}), 10, {.latency = 1, .byte = 1, .slow = {{0, 1, 3}}});
    CHECK(t.events[1].end == 11);
    CHECK(t.done == std::vector<double>{30, 33});
}

TEST_CASE("messages are taken as they come") {
    auto const all = made(3, 1,
                          {{{0, verb::recv_copy, 1, {0, 1}}, {0, verb::recv_copy, 2, {0, 1}}},
                           {{0, verb::send, 0, {0, 1}}},
                           {{0, verb::send, 0, {0, 1}}}});
    auto const t = coll::simulate(all, 10, {.latency = 1, .byte = 1, .late = {0, 100, 0}});
    CHECK(t.events[0].moved == 111);
    CHECK(t.events[1].moved == 11);
    CHECK(t.total == 111);
}

TEST_CASE(
    "where messages cost no more than their latency and bytes, the time is at most the counted "
    "cost, and just that where all ranks do the same") {
    for (auto const a : coll::all_algorithms) {
        for (int size = 1; size <= 9; ++size) {
            for (auto const what : coll::scheduled_collectives) {
                for (std::uint64_t const bytes : {5040U, 1001U}) {
                    if (what == collective::all_to_all && bytes == 1001) { continue; }
                    CAPTURE(coll::name(a));
                    CAPTURE(size);
                    CAPTURE(coll::name(what));
                    CAPTURE(bytes);
                    auto const all = a.record_all(what, size);
                    auto const t =
                        coll::simulate(all, bytes, {.latency = 7, .byte = 0.25, .added = 0.125});
                    REQUIRE(t.ok);
                    check_waits(all, t);
                    auto const c = a.cost_of(size, bytes, what);
                    auto const counted = c.rounds * 7 +
                                         0.25 * static_cast<double>(c.critical.bytes) +
                                         0.125 * static_cast<double>(c.critical.reduced);
                    CHECK(t.total <= counted);
                    if (is_balanced(all, bytes)) { CHECK(t.total == counted); }
                }
            }
        }
    }
}

TEST_CASE("also of algorithms whose ranks do not do the same, over powers of two") {
    int equal = 0;
    for (auto const a : coll::all_algorithms) {
        for (int const size : {2, 4, 8, 16}) {
            auto const c = a.cost_of(size, 4096);
            auto const counted = c.rounds * 7 + 0.25 * static_cast<double>(c.critical.bytes) +
                                 0.125 * static_cast<double>(c.critical.reduced);
            equal +=
                of(a, size, 4096, {.latency = 7, .byte = 0.25, .added = 0.125}).total == counted
                    ? 1
                    : 0;
        }
    }
    CHECK(equal == 4 * static_cast<int>(coll::all_algorithms.size()) - 3);  // the star of 4, 8, 16
}

TEST_CASE("a larger price, lateness or factor makes no rank earlier") {
    rc::check("random algorithms, networks and changes", [] {
        auto const a = *rc::gen::elementOf(coll::all_algorithms);
        auto const size = *rc::gen::inRange(1, 13);
        auto const what = *rc::gen::elementOf(coll::scheduled_collectives);
        auto const bytes = static_cast<std::uint64_t>(*rc::gen::inRange(0, 5000));
        auto const price = [] { return *rc::gen::inRange(0, 2000) / 16.0; };  // sums are exact
        coll::loggp before{price(), price(), price(), price() / 64, price() / 64, {}, {}};
        for (int r = 0; r < size; ++r) { before.late.push_back(*rc::gen::element(0.0, price())); }
        auto const link = [&] {
            return coll::loggp::slow_link{*rc::gen::inRange(0, size), *rc::gen::inRange(0, size),
                                          *rc::gen::element(1.0, 2.0, 5.0)};
        };
        before.slow = {link(), link()};
        auto after = before;
        std::vector<double*> const values{
            &after.latency,       &after.overhead,
            &after.gap,           &after.byte,
            &after.added,         &after.late[static_cast<std::size_t>(*rc::gen::inRange(0, size))],
            &after.slow[0].factor};
        **rc::gen::elementOf(values) += 0.5;
        auto const all = a.record_all(what, size);
        auto const first = coll::simulate(all, bytes, before);
        auto const second = coll::simulate(all, bytes, after);
        RC_ASSERT(first.ok && second.ok);
        for (std::size_t r = 0; r < first.done.size(); ++r) {
            RC_ASSERT(first.done[r] <= second.done[r] * (1 + 1e-12));
        }
    });
}

TEST_CASE("each step of the critical path waited for the one before, the last ends the run") {
    coll::loggp const network{
        .latency = 3, .overhead = 1, .gap = 2, .byte = 0.5, .added = 0.25, .late = {0, 20}};
    for (auto const a : coll::all_algorithms) {
        for (int size = 2; size <= 9; ++size) {
            CAPTURE(coll::name(a));
            CAPTURE(size);
            auto const t = of(a, size, 720, network);
            REQUIRE(!t.path.empty());
            CHECK(t.events[static_cast<std::size_t>(t.path.front())].waited_for == -1);
            for (std::size_t i = 1; i < t.path.size(); ++i) {
                CHECK(t.events[static_cast<std::size_t>(t.path[i])].waited_for == t.path[i - 1]);
                CHECK(t.events[static_cast<std::size_t>(t.path[i])].critical);
            }
            CHECK(t.events[static_cast<std::size_t>(t.path.back())].end == t.total);
        }
    }
}

static_assert(coll::simulate(coll::record_all(coll::ring{}, collective::all_reduce, 2), 8,
                             {.latency = 1, .byte = 1, .added = 1})
                  .total == 14);

TEST_CASE("very many ranks take memory for their steps alone") {
    constexpr int size = 16384;
    auto const all = coll::record_all(coll::tree{}, coll::collective::all_reduce, size);
    auto const most = [] {
        rusage used{};
        getrusage(RUSAGE_SELF, &used);
        return used.ru_maxrss / 1024;  // MiB
    };
    auto const before = most();
    CHECK(coll::simulate(all, 1 << 20, {.latency = 1}).ok);
    CHECK(most() - before < 500);  // a number for each pair of ranks would be 2048 MiB
}
