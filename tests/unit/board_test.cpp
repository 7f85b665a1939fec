// SPDX-License-Identifier: BSD-3-Clause
// When the memory of a board in shared memory may be freed.
#include <collectives/transport/shared/board.hpp>
#include <collectives/transport/shared/heap_memory.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace shared = collectives::shared;

TEST_CASE("a board is in use until all ranks have closed it and nobody looks at it any more") {
    shared::heap_memory memory;
    auto* const place = static_cast<std::byte*>(memory.allocate(shared::board::bytes(2)));
    shared::board::create(place, 2);
    {
        shared::board first({}, place, {0, 1}, 0), second({}, place, {0, 1}, 1);
        first.hold();  // rank 0 looks whether all have closed it
        CHECK_FALSE(first.close());
        CHECK_FALSE(second.closed_by_all());
        CHECK(second.close());
        CHECK(first.closed_by_all());
        CHECK_FALSE(second.is_unused());
        first.let_go();
        CHECK(second.is_unused());
    }
    memory.deallocate(place, shared::board::bytes(2));
}
