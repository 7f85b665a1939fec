// SPDX-License-Identifier: BSD-3-Clause
// An exscan in cells, where one round does the work of two.
#include <unit/plan_cases.hpp>

#include <collectives/plan/check_plan.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string_view>
#include <vector>

using namespace plan_cases;

namespace {

/// A user's algorithm whose scan has one round and as many chunks as there are ranks: so the exscan
/// has one chunk fewer.
struct scan_in_parts {
    static constexpr std::string_view name = "scan_in_parts";
    static constexpr int chunks(int size) { return size; }
    static constexpr void steps(coll::rank_t me, int size, coll::step_sink auto&& emit) {
        pass(0, size, me, size, emit);
    }
    static constexpr void scan(coll::rank_t me, int size, coll::step_sink auto&& emit) {
        pass(me, me, me, size, emit);
    }

private:
    /// Sends to the ranks from `first` on, and adds what those below `last` send.
    static constexpr void pass(int first, int last, coll::rank_t me, int size, auto&& emit) {
        for (coll::rank_t r = first; r < size; ++r) {
            if (r != me) { emit(coll::step{0, coll::verb::send, r, {0, size}}); }
        }
        for (coll::rank_t r = 0; r < last; ++r) {
            if (r != me) { emit(coll::step{0, coll::verb::recv_reduce, r, {0, size}}); }
        }
    }
};

}  // namespace

TEST_CASE("an exscan of two rounds runs in cells, with any chunks") {
    for (int size = 1; size <= 9; ++size) {
        auto const shape = shape_of(collective::exscan, size, 7, 0);
        for (auto const a : coll::all_algorithms) {
            low::lowered_call const c(a, shape);
            CHECK(fits_cells(c) == (size > 1 && c.rounds() <= 2));
        }
        CHECK(fits_cells(low::lowered_call(coll::one_shot{}, shape)) == (size > 1));
        CHECK(fits_cells(low::lowered_call(coll::ring{}, shape)) == (size == 2));
        if (size < 3 || size > 5) { continue; }
        low::lowered_call const own(scan_in_parts{}, shape);
        REQUIRE(fits_cells(own));
        for (bool const in_place : {false, true}) {
            auto const as = choice_of(pl::protocol::cells, in_place);
            auto const p = static_cast<std::size_t>(size);
            pl::planned_history history;
            history.element = shape.elem_size;
            history.calls.assign(static_cast<std::size_t>(calls_for(as)),
                                 low::plan_call(own, std::vector<low::rank_choice>(p, as)));
            auto const v = pl::check_plan(history);
            INFO(described(own.algorithm(), own, as) << ": " << described(v));
            CHECK(v.ok);
        }
    }
}
