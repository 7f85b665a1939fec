// SPDX-License-Identifier: BSD-3-Clause
// The plans of all ranks, proved together: every protocol, mixtures of them, and successive calls.
#include <unit/random_histories.hpp>

#include <collectives/plan/check_plan.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace plan_cases;

namespace {

/// `calls` calls alike, with the protocol of each rank.
pl::plan_verdict prove(low::lowered_call const& c, std::vector<low::rank_choice> const& as,
                       int calls, bool overlapping = false) {
    pl::planned_history history;
    history.element = c.shape().elem_size;
    history.overlapping = overlapping;
    history.calls.assign(static_cast<std::size_t>(calls), low::plan_call(c, as));
    return pl::check_plan(history);
}

}  // namespace

TEST_CASE("every protocol alone, in place and not, in one piece and in three") {
    int proved = 0;
    constexpr auto middle = sampling::sanitized ? 8U : 1U, large = sampling::sanitized ? 11U : 4U;
    auto turn = sampling::seed_of_the_day();
    MESSAGE("seed " << turn << ": one of " << middle << " with 4 and 5 ranks, of " << large
                    << " with more");
    for (auto const a : coll::all_algorithms) {
        for (auto const what : coll::scheduled_collectives) {
            for (int size = 1; size <= largest_size; ++size) {
                for (int const segments : {1, 3}) {
                    auto const p = static_cast<std::size_t>(size);
                    // Far more protocols than sizes matter: large sizes are sampled.
                    auto const one_of = size <= 3 ? 1U : size <= 5 ? middle : large;
                    if (!all_cases() && ++turn % one_of != 0) { continue; }
                    low::lowered_call const c(
                        a, shape_of(what, size, segments == 1 ? 2 * p + 1 : 5, size / 2), segments);
                    auto all = memory_choices(c);
                    for (auto const& as : sharing_choices(c)) {
                        if (as.shown.shares_copies) { all.push_back(as); }
                    }
                    for (bool const in_place : {false, true}) {
                        all.push_back(choice_of(pl::protocol::eager, in_place));
                        all.push_back(choice_of(pl::protocol::stream_reduce, in_place));
                        if (!fits_cells(c)) { continue; }
                        using enum pl::protocol;
                        all.push_back(choice_of(cells, in_place));
                        all.push_back(choice_of(cells_beside, in_place));
                        if (size == 3) {
                            all.push_back(choice_of(cells, in_place, false, false, pl::few_cells));
                        }
                    }
                    for (auto const& as : all) {
                        if (!is_in_part()) { continue; }
                        auto const v =
                            prove(c, std::vector<low::rank_choice>(p, as), calls_for(as));
                        INFO(described(a, c, as) << ": " << described(v));
                        CHECK(v.ok);
                        ++proved;
                    }
                }
            }
        }
    }
    MESSAGE("histories proved: " << proved);
}

TEST_CASE("ranks that announce different protocols") {
    std::mt19937 random(seed());
    int proved = 0;
    for (auto const a : coll::all_algorithms) {
        for (auto const what : coll::scheduled_collectives) {
            for (int size = 2; size <= 4; ++size) {
                auto const p = static_cast<std::size_t>(size);
                low::lowered_call const c(a, shape_of(what, size, 2 * p + 1, 0), 1);
                auto const choices = memory_choices(c);
                std::size_t mixtures = 1;
                for (int r = 0; r < size; ++r) { mixtures *= choices.size(); }
                // A sample holds each pair of protocols at P = 4 with some algorithm and call; with
                // sanitizers it is a quarter.
                constexpr auto sampled = sampling::sanitized ? 6U : 24U;
                auto const step = all_cases() ? 1 : mixtures / sampled + 1;
                for (std::size_t m = random() % step; m < mixtures;
                     m += 1 + random() % (2 * step - 1)) {
                    if (!is_in_part()) { continue; }
                    std::vector<low::rank_choice> as;
                    for (auto k = m; as.size() < p; k /= choices.size()) {
                        as.push_back(choices[k % choices.size()]);
                    }
                    auto const v = prove(c, as, pl::channels + 1);
                    INFO("seed " << seed() << " mixture " << m << ": " << described(a, c, as[0])
                                 << ": " << described(v));
                    CHECK(v.ok);
                    ++proved;
                }
            }
        }
    }
    MESSAGE("mixtures proved: " << proved);
}

TEST_CASE("leaders: copies that are pushed, to ranks that take them and to others") {
    std::mt19937 random(seed());
    for (auto const& [size, own] : {std::pair(2, 2), {3, 3}, {4, 4}, {4, 2}, {6, 2}, {6, 3}}) {
        for (auto const what : {collective::broadcast, collective::all_gather}) {
            for (int root = 0; root < (what == collective::broadcast ? size : 1); ++root) {
                for (int k = 0; k < 40; ++k) {
                    coll::any_algorithm const a = coll::leaders{own};
                    auto const p = static_cast<std::size_t>(size);
                    auto shape = shape_of(what, size, 2 * p + 1, root);
                    if (what == collective::all_gather && k % 4 == 3) {
                        move_blocks(shape, random);
                    }
                    low::lowered_call const c(a, shape, k % 4 == 2 ? 3 : 1);
                    REQUIRE(c.pushes_copies());
                    auto const choices = memory_choices(c);
                    std::vector<low::rank_choice> as(p, choices[random() % choices.size()]);
                    for (auto& one : as) {
                        if (k % 2 != 0) { one = choices[random() % choices.size()]; }
                    }
                    auto const v = prove(c, as, pl::channels + 1);
                    INFO("seed " << seed() << ": " << described(a, c, as[0]) << ": "
                                 << described(v));
                    CHECK(v.ok);
                }
            }
        }
    }
}

TEST_CASE("ranks that share copies, and others that do not") {
    int shared = 0;
    for (auto const a : coll::all_algorithms) {
        for (int root = 0; root < 2; ++root) {
            for (int const segments : {1, 3}) {
                low::lowered_call const c(a, shape_of(collective::broadcast, 2, 6, root), segments);
                for (auto const& one : sharing_choices(c)) {
                    for (auto const& other : sharing_choices(c)) {
                        auto const v = prove(c, {one, other}, pl::channels + 1);
                        INFO(described(a, c, one)
                             << " with " << described(a, c, other) << ": " << described(v));
                        CHECK(v.ok);
                        shared += one.shown.shares_copies && other.shown.shares_copies ? 1 : 0;
                    }
                }
            }
        }
    }
    CHECK(shared > 0);
}

TEST_CASE("a copy is not shared by ranks that both read") {
    auto as = choice_of(pl::protocol::zero_copy, false);
    as.shown.shares_copies = true;
    low::lowered_call const c(coll::ring{}, shape_of(collective::all_gather, 2, 6, 0));
    CHECK_FALSE(prove(c, {as, as}, pl::channels + 1).ok);
}

TEST_CASE("without a window's wait, or with too small a window, a history is refused") {
    // The root of a broadcast, and rank 0 of a scan, never wait for those that only read.
    for (auto const what : {collective::broadcast, collective::scan, collective::exscan}) {
        low::lowered_call const c(coll::star{}, shape_of(what, 3, 7, 0), 1);
        auto const as = choice_of(pl::protocol::staged_once, true);
        pl::planned_history history;
        history.element = 4;
        history.calls.assign(pl::channels + 1, low::plan_call(c, {as, as, as}));
        REQUIRE(pl::check_plan(history).ok);
        for (auto& call : history.calls) { call.all_come = true; }  // which is not so
        CHECK_FALSE(pl::check_plan(history).ok);
    }
}
