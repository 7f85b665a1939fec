// SPDX-License-Identifier: BSD-3-Clause
#include <collectives/transport/wire/processors.hpp>

#include <doctest/doctest.h>

#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace {

namespace wire = collectives::wire;

wire::rank_processors rank_on(std::uint64_t machine, std::initializer_list<int> processors) {
    wire::rank_processors r;
    r.machine = machine;
    CPU_ZERO(&r.usable);
    for (auto const p : processors) { CPU_SET(static_cast<std::size_t>(p), &r.usable); }
    return r;
}

}  // namespace

TEST_CASE("ranks of a machine have the union of what each is bound to") {
    CHECK(wire::shared_processors(std::vector{rank_on(7, {0}), rank_on(7, {1})}) == 2);
    CHECK(wire::shared_processors(std::vector{rank_on(7, {0, 1}), rank_on(7, {0, 1})}) == 2);
    CHECK(wire::shared_processors(std::vector{rank_on(7, {0}), rank_on(8, {0})}) == 2);
}

TEST_CASE("the machine that has fewest processors per rank counts for all") {
    std::vector const two_and_one{rank_on(7, {0, 1}), rank_on(8, {0, 1}), rank_on(7, {0, 1})};
    CHECK(wire::shared_processors(two_and_one) == 3);
    std::vector const crowd(8, rank_on(7, {5}));
    CHECK(wire::shared_processors(crowd) == 1);
}

TEST_CASE("a machine has one identity, and another by another name") {
    using processors = wire::rank_processors;
    CHECK(processors::of_this_process("a").machine == processors::of_this_process("a").machine);
    CHECK(processors::of_this_process("a").machine != processors::of_this_process("b").machine);
    auto const mine = processors::of_this_process();
    CHECK(CPU_COUNT(&mine.usable) > 0);
}
