// SPDX-License-Identifier: BSD-3-Clause
// When a rank copies its own block: while peers read, or while its messages are under way.
#include <unit/plan_cases.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>

using namespace plan_cases;

namespace {

/// Where in the plan of rank 0 its own block is copied to the output, where the last instruction is
/// that waits for peers, and where it says that it has left.
struct order {
    std::ptrdiff_t copy = -1, wait = -1, left = -1;
    order(coll::any_algorithm by, collective what, pl::protocol how, std::size_t bytes) {
        low::lowered_call const call(by, shape_of(what, 2, bytes / 4, 0), 1);
        auto const plan = call.lower(0, choice_of(how, false), 0);
        for (std::size_t at = 0; at < plan.program.size(); ++at) {
            auto const& i = plan.program[at];
            auto const here = static_cast<std::ptrdiff_t>(at);
            if (i.what == pl::opcode::wait || i.what == pl::opcode::test) { wait = here; }
            if (i.what == pl::opcode::publish && i.at == pl::left) { left = here; }
            if (i.what != pl::opcode::copy) { continue; }
            auto const& from = plan.sources[static_cast<std::size_t>(i.sources.first)];
            auto const& to = plan.destinations[static_cast<std::size_t>(i.destinations.first)];
            auto const moves_own = from.peer < 0 && from.where == pl::memory::input &&
                                   to.to.where == pl::memory::output;
            if (moves_own) { copy = here; }
        }
        REQUIRE(copy >= 0);
        REQUIRE(wait >= 0);
    }
};

}  // namespace

TEST_CASE("a rank has left its peers, but not yet waited for its readers, when it copies its own") {
    for (auto const what : {collective::scatter, collective::all_gather, collective::all_to_all}) {
        CAPTURE(coll::name(what));
        order const its(coll::one_shot{}, what, pl::protocol::zero_copy, 1 << 20);
        CHECK(its.left < its.copy);
        CHECK(its.copy < its.wait);
        order const staged(coll::one_shot{}, what, pl::protocol::staged, 1 << 20);
        CHECK(staged.left < staged.copy);
    }
}

TEST_CASE("a rank that only sends copies its own block meanwhile, others a short one") {
    constexpr std::size_t short_block = 1 << 17, long_block = 1 << 20;
    for (auto const block : {short_block, long_block}) {
        CAPTURE(block);
        auto const over_messages = [block](coll::any_algorithm by, collective what) {
            order const its(by, what, pl::protocol::eager, 2 * block);
            return its.copy < its.wait;
        };
        CHECK(over_messages(coll::one_shot{}, collective::scatter));
        for (auto const what : {collective::gather, collective::all_to_all}) {
            CAPTURE(coll::name(what));
            CHECK(over_messages(coll::one_shot{}, what) == (block == short_block));
        }
    }
}
