// SPDX-License-Identifier: BSD-3-Clause
// Where the parts of a job's file are.
#include <collectives/transport/shm.hpp>

#include <doctest/doctest.h>

namespace coll = collectives;

TEST_CASE("a job in the file of another begins where a page does, of any size that pages have") {
    for (int const size : {1, 2, 3, 5, 8, 64}) {
        CAPTURE(size);
        CHECK(coll::shm::detail::places(size).end % (64 * 1024) == 0);
    }
}
