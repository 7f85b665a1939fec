// SPDX-License-Identifier: BSD-3-Clause
// When a rank copies its own block: while peers read, or while its messages are under way.
#include <unit/plan_cases.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>

using namespace plan_cases;

namespace {

/// Where in the plan of rank 0 its own block is copied, and where the last instruction is that
/// waits for peers.
struct order {
    std::ptrdiff_t copy, wait;
    order(collective what, pl::protocol how, std::size_t bytes) {
        low::lowered_call const call(coll::one_shot{}, shape_of(what, 2, bytes / 4, 0), 1);
        auto const plan = call.lower(0, choice_of(how, false), 0);
        auto const own = [&](pl::instruction const& i) {
            return i.what == pl::opcode::copy &&
                   plan.sources[static_cast<std::size_t>(i.sources.first)].peer < 0;
        };
        auto const waits = [](pl::instruction const& i) {
            return i.what == pl::opcode::wait || i.what == pl::opcode::test;
        };
        auto const& all = plan.program;
        copy = std::find_if(all.begin(), all.end(), own) - all.begin();
        wait = all.end() - all.begin() - 1;
        while (!waits(all[static_cast<std::size_t>(wait)])) { --wait; }
        CHECK(own(all[static_cast<std::size_t>(copy)]));
    }
};

}  // namespace

TEST_CASE("a rank copies its own block before it waits for those that read its input") {
    for (auto const what : {collective::scatter, collective::all_gather, collective::all_to_all}) {
        CAPTURE(coll::name(what));
        order const its(what, pl::protocol::zero_copy, 1 << 20);
        CHECK(its.copy < its.wait);
    }
}

TEST_CASE("a rank that only sends copies its own block meanwhile, others a short one") {
    constexpr std::size_t short_block = 1 << 17, long_block = 1 << 20;
    for (auto const block : {short_block, long_block}) {
        CAPTURE(block);
        order const sends(collective::scatter, pl::protocol::eager, 2 * block);
        CHECK(sends.copy < sends.wait);
        order const receives(collective::gather, pl::protocol::eager, 2 * block);
        CHECK((receives.copy < receives.wait) == (block == short_block));
    }
}
