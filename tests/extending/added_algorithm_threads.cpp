// SPDX-License-Identifier: BSD-3-Clause
// Algorithms that a program adds: known by name, priced, and run where the environment names them.
#include <collectives/collectives.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace coll = collectives;

namespace {

/// One round: everybody to everybody.
struct to_all {
    static constexpr std::string_view name = "to_all";
    static constexpr int chunks(int) { return 1; }
    static constexpr bool fits(int size) { return size != 5; }
    static constexpr void steps(coll::rank_t me, int size, coll::step_sink auto&& emit) {
        for (int i = 1; i < size; ++i) {
            emit(coll::step{0, coll::verb::send, (me + i) % size, {0}});
        }
        for (int r = 0; r < size; ++r) {
            if (r != me) { emit(coll::step{0, coll::verb::recv_reduce, r, {0}}); }
        }
    }
};
/// The same name as another one's.
struct twin : to_all {};
struct false_ring : to_all {
    static constexpr std::string_view name = "ring";
};
struct false_leaders : to_all {
    static constexpr std::string_view name = "leaders";
};
/// Adds nothing up.
struct wrong_sum {
    static constexpr std::string_view name = "wrong_sum";
    static constexpr int chunks(int) { return 1; }
    static constexpr void steps(coll::rank_t, int, coll::step_sink auto&&) {}
};
/// With a parameter, which it does not use.
struct in_groups : to_all {
    static constexpr std::string_view name = "in_groups";
    int ranks = 1;
    constexpr int parameter() const { return ranks; }
    constexpr explicit in_groups(int n = 1) : ranks(n) {}
};

/// Whether `automatic` prices it over so many ranks.
bool is_priced(int size, std::string_view name) {
    bool found = false;
    coll::threads::run(size, [&](coll::communicator& comm) {
        if (comm.rank() != 0) { return; }
        auto const list = comm.explain(100).predictions;
        found = std::any_of(list.begin(), list.end(),
                            [&](auto const& p) { return p.algorithm.name() == name; });
    });
    return found;
}

}  // namespace

TEST_CASE("an algorithm that was added goes by its name and is priced") {
    coll::add_algorithm(to_all{});
    coll::add_algorithm(to_all{});  // once more does nothing
    coll::add_algorithm(coll::ring{});
    coll::add_algorithm(in_groups{});
    coll::add_algorithm(wrong_sum{});
    CHECK(coll::parse_algorithm("to_all") == coll::any_algorithm(to_all{}));
    CHECK(coll::parse_algorithm("in_groups:7") == coll::any_algorithm(in_groups{7}));
    CHECK(coll::parse_algorithm("ring") == coll::ring{});
    std::vector<std::string_view> added;
    for (auto i = coll::all_algorithms.size(); !coll::known_algorithm(i).is_automatic(); ++i) {
        added.push_back(coll::known_algorithm(i).name());
    }
    CHECK(added == std::vector<std::string_view>{"to_all", "in_groups", "wrong_sum"});
    try {
        (void)coll::parse_algorithm("in_groups");
        FAIL("accepted without its parameter");
    } catch (coll::usage_error const& e) {
        std::string const text = e.what();
        CHECK(text.find("to_all, in_groups:NUMBER, wrong_sum") != std::string::npos);
    }
    for (coll::any_algorithm const other :
         {coll::any_algorithm(twin{}), coll::any_algorithm(false_ring{}),
          coll::any_algorithm(false_leaders{}), coll::any_algorithm()}) {
        if (other.is_automatic()) { continue; }
        CHECK_THROWS_WITH_AS(coll::add_algorithm(other),
                             doctest::Contains("another algorithm is called"), coll::usage_error);
    }
    CHECK(is_priced(4, "to_all"));
    CHECK_FALSE(is_priced(4, "wrong_sum"));
    CHECK_FALSE(is_priced(5, "to_all"));
}

TEST_CASE("the environment and the options name an algorithm that was added") {
    coll::add_algorithm(to_all{});
    ::setenv("COLLECTIVES_ALL_REDUCE", "to_all:0-1k", 1);
    coll::threads::run(3, [](coll::communicator& comm) {
        CHECK(coll::name(comm.explain(100).algorithm) == "to_all");
        CHECK(coll::name(comm.explain(5'000).algorithm) != "to_all");
        for (std::size_t const n : {std::size_t{1}, std::size_t{2'000}}) {
            std::vector<int> v(n, comm.rank());
            comm.all_reduce(v);
            CHECK(v == std::vector<int>(n, 3));
            comm.all_reduce(v, coll::sum{}, {.algorithm = coll::parse_algorithm("to_all")});
            CHECK(v == std::vector<int>(n, 9));
        }
    });
    ::unsetenv("COLLECTIVES_ALL_REDUCE");
}
