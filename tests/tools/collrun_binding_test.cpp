// SPDX-License-Identifier: BSD-3-Clause
// Where ranks run, on machines that hwloc is told of.
#include <collrun/binding.hpp>

#include <doctest/doctest.h>
#include <pthread.h>

#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

/// Two packages with a node and two third-level caches each; a cache has two cores of two threads.
/// Its processors are numbered so that neighbours in number are far apart.
struct described_machine {
    explicit described_machine(
        char const* text =
            "pack:2 [numa] l3:2 core:2 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)") {
        ::setenv("HWLOC_SYNTHETIC", text, 1);
    }
    described_machine(described_machine const&) = delete;
    described_machine& operator=(described_machine const&) = delete;
    ~described_machine() { ::unsetenv("HWLOC_SYNTHETIC"); }
};

std::vector<int> processors(binding::place const& where) {
    std::vector<int> found;
    for (std::size_t i = 0; i < where.processors.most; ++i) {
        if (where.processors.has(i)) { found.push_back(static_cast<int>(i)); }
    }
    return found;
}

std::vector<std::string> names(std::vector<binding::place> const& all) {
    std::vector<std::string> result;
    for (auto const& one : all) { result.push_back(one.name); }
    return result;
}

}  // namespace

TEST_CASE("each rank has a core, and neighbours share a cache") {
    described_machine const machine;
    auto const all = binding::places(binding::unit::core, 3);
    REQUIRE(all.size() == 3);
    CHECK(processors(all[0]) == std::vector{0, 8});
    CHECK(processors(all[1]) == std::vector{1, 9});
    CHECK(processors(all[2]) == std::vector{2, 10});
    CHECK(all[2].name == "core 2 (NUMA node 0, processors 2,10)");
    CHECK(binding::places(binding::unit::core, 8)[7].name ==
          "core 7 (NUMA node 1, processors 7,15)");
}

TEST_CASE("a machine may have thousands of cores") {
    described_machine const machine("pack:2 [numa] core:1000 pu:1");
    CHECK(processors(binding::places(binding::unit::core, 2000).back()) == std::vector{1999});
}

TEST_CASE("nodes share the ranks out") {
    described_machine const machine;
    std::string const first = "NUMA node 0 (processors 0-3,8-11)",
                      second = "NUMA node 1 (processors 4-7,12-15)";
    CHECK(names(binding::places(binding::unit::numa, 1)) == std::vector<std::string>{first});
    CHECK(names(binding::places(binding::unit::numa, 3)) ==
          std::vector<std::string>{first, first, second});
    CHECK(names(binding::places(binding::unit::numa, 20))[10] == second);
}

TEST_CASE("what cannot be bound is an error that says so") {
    described_machine const machine;
    CHECK(binding::places(binding::unit::none, 100).empty());
    CHECK_THROWS_WITH_AS(
        binding::places(binding::unit::core, 9),
        "9 ranks cannot be bound to cores of their own: this process may use 8 of them",
        std::runtime_error);
    CHECK_THROWS_AS(binding::parse_unit("cores"), std::invalid_argument);
}

TEST_CASE("a rank runs where it is bound") {
    auto const before = collectives::processor_set::of(0);
    REQUIRE(before.count() != 0);
    auto const one = binding::places(binding::unit::core, 1).front();
    REQUIRE(binding::bind_to(one));
    CHECK(collectives::processor_set::of(0) == one.processors);
    CHECK(binding::here().name == one.name);
    CHECK(binding::cores_if_enough(1).size() == 1);
    CHECK(binding::cores_if_enough(2).empty());
    // Bound to one core, this process cannot give two ranks one each.
    CHECK_THROWS_AS(binding::places(binding::unit::core, 2), std::runtime_error);
    REQUIRE(before.bind(::pthread_self()));
}
