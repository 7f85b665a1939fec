// SPDX-License-Identifier: BSD-3-Clause
// Where coll_perf's vectors lie, and the copies that it compares with.
#include "sampling.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

using namespace coll_perf;

TEST_CASE("vectors begin where they are to in their pages, and apart from each other") {
    constexpr std::size_t page = 4096;
    for (std::size_t const offset : {0UL, 4UL, 16UL, 4092UL}) {
        for (std::size_t const bytes : {4UL, 4092UL, 4096UL, 8192UL}) {
            settings how;
            how.offset = offset;
            measured_case c;
            c.count = bytes / 4;
            c.element = 4;
            slots const all(how, c);
            std::vector<std::byte> memory(all.bytes());
            auto* const start = memory.data();
            auto const first = static_cast<std::size_t>(all.vector(start, 0, 0) - start);
            auto const second = static_cast<std::size_t>(all.vector(start, 0, 1) - start);
            CHECK(first == offset);
            CHECK(second % page == offset);
            CHECK(first + bytes <= second);
            CHECK(second + bytes <= all.bytes());
        }
    }
}

TEST_CASE("the copy past the caches copies what it is told to, wherever it begins") {
    std::vector<std::byte> from(80), to(80);
    for (std::size_t i = 0; i < from.size(); ++i) { from[i] = static_cast<std::byte>(i + 1); }
    for (std::size_t offset = 0; offset < 17; ++offset) {
        for (std::size_t bytes = 0; bytes < 40; ++bytes) {
            std::fill(to.begin(), to.end(), std::byte{});
            copy_past_cache(to.data() + offset, from.data() + offset % 3, bytes);
            for (std::size_t i = 0; i < to.size(); ++i) {
                bool const copied = i >= offset && i < offset + bytes;
                REQUIRE(to[i] == (copied ? from[i - offset + offset % 3] : std::byte{}));
            }
        }
    }
}
