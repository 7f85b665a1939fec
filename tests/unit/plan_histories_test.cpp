// SPDX-License-Identifier: BSD-3-Clause
// Calls of different shapes after each other, proved together: reuse is where things go wrong.
#include <unit/random_histories.hpp>

#include <collectives/plan/check_plan.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace plan_cases;

TEST_CASE("calls of different shapes after each other") {
    auto const first = seed();
    auto const histories = all_cases() ? 3000U : 150U;
    for (auto k = 0U; k < histories; ++k) {
        if (!is_in_part()) { continue; }
        std::mt19937 random(first + k);
        auto const made = random_history(random);
        auto const v = pl::check_plan(made.what);
        auto const at = static_cast<std::size_t>(std::max(v.call, 0));
        INFO("seed " << first + k << ": " << described(v) << " in " << made.text[at]);
        CHECK(v.ok);
    }
}

TEST_CASE("calls in cells of both depths, more than either window holds") {
    for (int size = 2; size <= 3; ++size) {
        pl::planned_history history;
        history.element = 4;
        std::mt19937 random(seed());
        auto const p = static_cast<std::size_t>(size);
        for (int k = 0; k < pl::few_cells + 6; ++k) {
            // Rooted calls come in rows: their roots run ahead.
            auto const what = k % 23 < 20 ? collective::broadcast : collective::all_reduce;
            auto const a = what == collective::broadcast ? coll::any_algorithm{coll::star{}}
                                                         : coll::any_algorithm{coll::one_shot{}};
            low::lowered_call const c(a, shape_of(what, size, 3, 0));
            auto const few = random() % 3 != 0;
            auto const how =
                !few && random() % 2 != 0 ? pl::protocol::cells_beside : pl::protocol::cells;
            auto const as =
                choice_of(how, false, false, false, few ? pl::few_cells : pl::more_cells);
            history.calls.push_back(low::plan_call(c, std::vector<low::rank_choice>(p, as)));
        }
        auto const v = pl::check_plan(history);
        INFO("seed " << seed() << ": " << described(v));
        CHECK(v.ok);
    }
}
