// SPDX-License-Identifier: BSD-3-Clause
// The ranks of an MPI job tell each other bytes. Usage: PROGRAM RANKS
#define DOCTEST_CONFIG_IMPLEMENT
#include <collectives/launch/bootstrap/mpi.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <thread>

namespace coll = collectives;
using namespace std::chrono_literals;

namespace {

coll::bootstrap_bytes gift(int r, int n) {
    return coll::bootstrap_bytes(static_cast<std::size_t>((r + n) % 3 * 40'000),
                                 static_cast<std::byte>(16 * n + r));
}

}  // namespace

TEST_CASE("ranks tell each other bytes") {
    coll::bootstraps::over_mpi me(MPI_COMM_WORLD, coll::steady::now() + 10s);
    for (int n = 0; n < 10; ++n) {
        auto const came = me.all_gather(gift(me.rank(), n), coll::steady::now() + 10s);
        REQUIRE(came.size() == static_cast<std::size_t>(me.size()));
        for (int r = 0; r < me.size(); ++r) {
            CHECK(came[static_cast<std::size_t>(r)] == gift(r, n));
        }
    }
}

TEST_CASE("who does not come is named") {
    coll::bootstraps::over_mpi me(MPI_COMM_WORLD, coll::steady::now() + 10s);
    if (me.size() == 1) { return; }
    auto const late = me.size() - 1;
    if (me.rank() == late) {
        std::this_thread::sleep_for(1s);
        return;
    }
    try {
        me.all_gather({}, coll::steady::now() + 300ms);
        FAIL("it returned");
    } catch (coll::timeout_error const& e) { CHECK(e.missing() == std::vector{late}); }
    CHECK_THROWS_AS(me.all_gather({}, coll::steady::now()), coll::transport_error);
}

int main(int argc, char** argv) {
    int level = 0, size = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    auto status = 1;  // the launcher is another MPI's
    if (argc == 2 && std::atoi(argv[1]) == size) { status = doctest::Context(1, argv).run(); }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return status;
}
