// SPDX-License-Identifier: BSD-3-Clause
// Calls whose blocks stand anywhere in the vector: where their chunks are, and the proof of their
// plans.
#include <unit/random_histories.hpp>

#include <collectives/plan/check_plan.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <utility>
#include <vector>

using namespace plan_cases;

namespace {

/// Three blocks of 2, 0 and 3 elements, at 5, nowhere and 1.
coll::lowering::call_shape three_blocks(collective what, int rank) {
    auto s = shape_of(what, 3, 5, 0);
    s.rank = rank;
    s.counts = {2, 0, 3, 5, 0, 1};
    return s;
}

pl::planned_history history_of(low::lowered_call const& c, std::vector<low::rank_choice> const& as,
                               int calls) {
    pl::planned_history history;
    history.element = c.shape().elem_size;
    history.calls.assign(static_cast<std::size_t>(calls), low::plan_call(c, as));
    return history;
}

}  // namespace

TEST_CASE("chunks of a cut are where it says, and its buffers end with the last block") {
    auto const gathers = three_blocks(collective::all_gather, 2);
    CHECK(gathers.has_places());
    CHECK(gathers.input_bytes() == 3 * 4);
    CHECK(gathers.output_bytes() == 7 * 4);
    CHECK(gathers.own_block() == coll::extent{1, 3});
    auto const at = low::lay_out(gathers, 3);
    CHECK(at.output[0].offset == 5 * 4);
    CHECK(at.output[2].offset == 1 * 4);
    CHECK(at.input[2].offset == 0);
    CHECK(at.bytes[0] == 2 * 4);
    CHECK(at.bytes[1] == 0);
    CHECK(at.bytes[2] == 3 * 4);
    auto const second = low::lay_out(gathers, 3, 1, 2);  // of two segments
    CHECK(second.output[0].offset == 6 * 4);
    CHECK(second.output[2].offset == 3 * 4);
    CHECK(second.input[2].offset == 2 * 4);

    auto const scatters = three_blocks(collective::reduce_scatter, 0);
    CHECK(scatters.input_bytes() == 7 * 4);
    CHECK(scatters.output_bytes() == 2 * 4);
    CHECK(low::lay_out(scatters, 3).input[0].offset == 5 * 4);
    CHECK(low::lay_out(scatters, 3).output[0].offset == 0);

    auto exchanges = three_blocks(collective::all_to_all, 1);
    exchanges.recv_counts = {4, 1, 0, 2, 8, 0};
    CHECK(exchanges.input_bytes() == 7 * 4);
    CHECK(exchanges.output_bytes() == 9 * 4);
    auto const both = low::lay_out(exchanges, 3);
    CHECK(both.input[0].offset == 5 * 4);
    CHECK(both.output[0].offset == 2 * 4);
    CHECK(both.output[1].bytes == 4);
    CHECK(both.output[1].offset == 8 * 4);
}

TEST_CASE("plans of calls with a cut, under every protocol, in place and not") {
    std::mt19937 random(seed());
    int proved = 0;
    constexpr auto one_of = sampling::sanitized ? 8U : 1U;
    auto turn = sampling::seed_of_the_day();
    MESSAGE("seed " << turn << ": with 3 and 4 ranks one of " << one_of);
    for (auto const a : coll::all_algorithms) {
        for (auto const what : coll::scheduled_collectives) {
            for (int size = 1; coll::has_blocks(what) && size <= 4; ++size) {
                for (int const segments : {1, 3}) {
                    if (!all_cases() && size > 2 && ++turn % one_of != 0) { continue; }
                    auto const p = static_cast<std::size_t>(size);
                    auto shape = shape_of(what, size, 2 * p + 1, size / 2);
                    move_blocks(shape, random);
                    low::lowered_call const c(a, shape, segments);
                    auto all = memory_choices(c);
                    for (bool const in_place : {false, true}) {
                        all.push_back(choice_of(pl::protocol::eager, in_place));
                        all.push_back(choice_of(pl::protocol::stream_reduce, in_place));
                        if (!fits_cells(c)) { continue; }
                        all.push_back(choice_of(pl::protocol::cells, in_place));
                        all.push_back(choice_of(pl::protocol::cells_beside, in_place));
                    }
                    for (auto const& as : all) {
                        if (!is_in_part()) { continue; }
                        auto const v = pl::check_plan(
                            history_of(c, std::vector<low::rank_choice>(p, as), calls_for(as)));
                        INFO("seed " << seed() << ": " << described(a, c, as) << ": "
                                     << described(v));
                        CHECK(v.ok);
                        ++proved;
                    }
                }
            }
        }
    }
    MESSAGE("histories proved: " << proved);
}

TEST_CASE("a plan that writes between the blocks of a cut is refused") {
    auto const shape = three_blocks(collective::all_gather, 0);
    low::lowered_call const c(coll::ring{}, shape);
    auto const as = choice_of(pl::protocol::eager, false);
    auto history = history_of(c, {as, as, as}, 1);
    REQUIRE(pl::check_plan(history).ok);
    auto& own = history.calls.front().runs.front().ranks[0];
    auto extra = own.program.back();
    extra.what = pl::opcode::copy;
    extra.bytes = 4;
    extra.sources.first = static_cast<int>(own.sources.size());
    extra.sources.last = extra.sources.first + 1;
    extra.destinations.first = static_cast<int>(own.destinations.size());
    extra.destinations.last = extra.destinations.first + 1;
    own.sources.push_back({pl::memory::input, -1, 0, 0});
    own.destinations.push_back({{pl::memory::output, -1, 0, 4 * 4}, pl::store::cached});
    own.program.push_back(extra);
    auto const v = pl::check_plan(history);
    CHECK_FALSE(v.ok);
    CHECK(v.what == "the output holds more than its blocks");
}

TEST_CASE("a cut of a whole input does not run in cells") {
    for (auto const what : {collective::all_gather, collective::reduce_scatter}) {
        low::lowered_call const plain(coll::one_shot{}, shape_of(what, 3, 5, 0));
        low::lowered_call const cut(coll::one_shot{}, three_blocks(what, 0));
        CHECK(fits_cells(plain));
        CHECK(fits_cells(cut) == (what == collective::all_gather));
    }
}
