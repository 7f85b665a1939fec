// SPDX-License-Identifier: BSD-3-Clause
// What the library's transports can do: a misspelt function would switch it off in silence. Those
// of MPI and UCX say so in tests/mpi/world.cpp and tests/ucx/world.hpp.
#include <collectives/transport/model.hpp>
#include <collectives/transport/shm.hpp>
#include <collectives/transport/threads.hpp>

#include <conformance/capabilities.hpp>
#include <conformance/counting_transport.hpp>

#include <doctest/doctest.h>

#include <memory>

namespace coll = collectives;
using conformance::capabilities;
using conformance::capabilities_of;

namespace {

constexpr capabilities of_shared_memory(bool lends) {
    return {.peer_memory = true,
            .processors = true,
            .stopped_ranks = true,
            .memory_access = true,
            .lent_memory = lends,
            .memory_until_closed = true,
            .first_board = true,
            .renewal = true};
}
static_assert(capabilities_of<coll::threads::transport>() == of_shared_memory(false));
static_assert(capabilities_of<coll::shm::transport>() == of_shared_memory(true));

}  // namespace

// What is modelled comes through, and what is not, does not.
static_assert(capabilities_of<conformance::counting_transport>() ==
              capabilities{.first_board = true});

TEST_CASE("a transport without its type can do what it could") {
    coll::threads::job const job(2);
    auto const t = coll::erase(job.rank(1));
    CHECK(t->rank() == 1);
    CHECK(t->size() == 2);
    REQUIRE(t->memory() != nullptr);
    CHECK(t->memory()->always_reachable());
    CHECK(t->processors() > 0);
    CHECK(t->can_consume());
    CHECK(t->device() == nullptr);
    CHECK(t->host(0) == -1);
    CHECK_FALSE(t->keeps_memory());
    CHECK(t->any_thread());
    auto board = t->first_board();
    CHECK(board->in_memory() != nullptr);
    CHECK_FALSE(board->asks());

    t->memory()->enter_memory();
    CHECK(t->accesses_memory(1));
    t->memory()->leave_memory();
    CHECK_FALSE(t->accesses_memory(1));
}
