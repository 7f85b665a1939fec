// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are child processes.
#include <collectives/core/error.hpp>
#include <collectives/launch/children.hpp>
#include <collectives/transport/shared/state.hpp>

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <memory>

namespace coll = collectives;
namespace shared = collectives::shared;

TEST_CASE("a rank finds its own number when it begins, whether or not its parent has gone on") {
    constexpr int ranks = 20;
    auto const bytes = shared::state::bytes(ranks);
    auto const unmap = [bytes](void* p) { ::munmap(p, bytes); };
    for (int turn = 0; turn < 10; ++turn) {  // whether the parent goes on is a matter of luck
        std::unique_ptr<void, decltype(unmap)> const memory(
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
            unmap);
        REQUIRE(memory.get() != MAP_FAILED);
        auto const state = shared::state::create(static_cast<std::byte*>(memory.get()), ranks);
        coll::shm::children all(state);
        for (coll::rank_t r = 0; r < ranks; ++r) {
            all.start(r, [&] {
                if (state.status(r).pid.load() != ::getpid()) { return 1; }
                state.depart(r, shared::life::left, 0);
                return 0;
            });
        }
        CHECK_NOTHROW(all.wait());
    }
}
