// SPDX-License-Identifier: BSD-3-Clause
#include <collectives/core/growing_nap.hpp>

#include <doctest/doctest.h>

#include <chrono>

using collectives::detail::growing_nap;
using namespace std::chrono_literals;

TEST_CASE("each nap takes twice as long as the one before, up to the limit") {
    growing_nap nap(3ms, 20ms);
    for (auto const expected : {3ms, 6ms, 12ms, 20ms, 20ms}) { CHECK(nap.next() == expected); }
    nap.reset();
    CHECK(nap.next() == 3ms);
    CHECK(nap.next() == 6ms);
}

TEST_CASE("naps take 20 us to 1 ms unless the caller says otherwise") {
    growing_nap nap;
    CHECK(nap.next() == 20us);
    for (int i = 0; i < 10; ++i) { nap.next(); }
    CHECK(nap.next() == 1ms);
}
