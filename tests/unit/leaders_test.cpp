// SPDX-License-Identifier: BSD-3-Clause
// leaders: proved for every size, root and number of ranks per device, and counted.
#include <collectives/algorithm/all.hpp>
#include <collectives/schedule/check.hpp>
#include <collectives/schedule/cost.hpp>
#include <collectives/select/closed_form.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

namespace {

namespace coll = collectives;

static_assert(coll::check(coll::leaders{4}, 12).order_preserving);
static_assert(coll::check(coll::leaders{16}, 16).left_fold);
static_assert(!coll::check(coll::leaders{3}, 13).ok);

template <class F>
void for_each_grouping(int most, F const& f) {
    for (int size = 1; size <= most; ++size) {
        for (int own = 1; own <= size; ++own) {
            if (size % own == 0) { f(size, own); }
        }
    }
}

}  // namespace

TEST_CASE("leaders: every collective, root and grouping is correct and keeps the order") {
    for_each_grouping(32, [](int size, int own) {
        for (auto const what : coll::scheduled_collectives) {
            for (int const root : {0, size / 2, size - 1}) {
                INFO(coll::name(what), ", ", size, " ranks, ", own, " per device, root ", root);
                coll::any_algorithm const a = coll::leaders{own};
                auto const proof = a.check(size, what, root);
                REQUIRE(proof.ok);
                REQUIRE(a.verdict(size, what, root) == proof);
                REQUIRE(proof.order_preserving);
            }
        }
    });
}

TEST_CASE("leaders: what its page says it costs, with and without its steps") {
    for_each_grouping(64, [](int size, int own) {
        std::size_t const bytes = 4096 * static_cast<std::size_t>(size);
        auto const devices = static_cast<std::size_t>(size / own);
        auto const inside = bytes * static_cast<std::size_t>(own - 1);
        auto const between = bytes / devices * (devices - 1);
        auto const cost = coll::cost_of(coll::leaders{own}, size, bytes);
        INFO(size, " ranks, ", own, " per device");
        REQUIRE(cost.rounds == (own > 1 ? 2 : 0) + (devices > 1 ? 2 : 0));
        REQUIRE(cost.busiest.sent == inside + 2 * between);
        REQUIRE(cost.busiest.reduced == inside + between);
        auto const closed =
            coll::closed_form(coll::leaders{own}, size, static_cast<std::int64_t>(bytes));
        REQUIRE(closed.rounds == cost.rounds);
        REQUIRE(closed.bytes == static_cast<std::int64_t>(cost.critical.bytes));
        REQUIRE(closed.reduced == static_cast<std::int64_t>(cost.critical.reduced));
        REQUIRE(closed.total == static_cast<double>(cost.total));
    });
}
