// SPDX-License-Identifier: BSD-3-Clause
// How often a call chooses its algorithm.
#include <collectives/collectives.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <string_view>
#include <vector>

namespace coll = collectives;

namespace {

/// The library asks whether an algorithm fits when it chooses it.
struct counted_tree : coll::tree {
    static constexpr std::string_view name = "counted_tree";
    static inline std::atomic<int> choices = 0;
    static bool fits(int) {
        ++choices;
        return true;
    }
};

/// How often the ranks ask in the second call, when the proof is known.
template <class Call>
int choices_of(Call&& call) {
    int result = 0;
    coll::threads::run(3, [&](coll::communicator& comm) {
        call(comm, 10);
        comm.barrier();
        if (comm.rank() == 0) { counted_tree::choices = 0; }
        comm.barrier();
        call(comm, 20);
        comm.barrier();
        if (comm.rank() == 0) { result = counted_tree::choices; }
    });
    return result;
}

}  // namespace

TEST_CASE("a gather or scatter without counts chooses no more often than one with counts") {
    coll::options const how{.algorithm = counted_tree{}};
    auto const gather_with_counts = choices_of([&](coll::communicator& comm, std::size_t n) {
        std::vector<int> in(n, comm.rank()), out(comm.rank() == 0 ? 3 * n : 0);
        comm.gather(in, out, std::vector{n, n, n}, 0, how);
    });
    CHECK(gather_with_counts >= 3);
    auto const gather = choices_of([&](coll::communicator& comm, std::size_t n) {
        std::vector<int> in(n, comm.rank()), out(comm.rank() == 0 ? 3 * n : 0);
        comm.gather(in, out, 0, how);
    });
    CHECK(gather <= gather_with_counts);
    auto const scatter = choices_of([&](coll::communicator& comm, std::size_t n) {
        std::vector<int> in(comm.rank() == 0 ? 3 * n : 0, 7), out(n);
        comm.scatter(in, out, 0, how);
    });
    CHECK(scatter <= gather_with_counts);
}
