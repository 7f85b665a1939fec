// SPDX-License-Identifier: BSD-3-Clause
#include <collectives/core/fingerprint.hpp>
#include <collectives/run/segment_run.hpp>
#include <collectives/transport/message.hpp>
#include <collectives/transport/mpi/call_tags.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <deque>
#include <set>

namespace coll = collectives;

TEST_CASE("neighbours of a hash and of a word do not meet") {
    std::set<std::uint64_t> all;
    for (std::uint64_t hash = 0; hash < 200; ++hash) {
        for (std::uint64_t word = 0; word < 200; ++word) { all.insert(coll::mix(hash, word)); }
    }
    CHECK(all.size() == 200 * 200);
}

TEST_CASE("segments under way at once have tags of MPI of their own, however few there are") {
    for (std::uint32_t const half : {8U, 64U, 16'384U}) {
        coll::mpi::call_tags const tags(half);
        auto const last = static_cast<int>(half - half / 8);
        for (std::uint64_t const first : {0x12'3456'789aUL, 0x7ff'0000'0007UL}) {
            std::deque<int> recent;
            for (std::uint64_t tag = first; tag < first + 40; ++tag) {
                auto const its = tags.of(tag & ~(coll::pair_bit | coll::generation_bits));
                CHECK(its >= static_cast<int>(half));
                CHECK(its < static_cast<int>(half) + last);
                for (auto const other : recent) { CHECK(other != its); }
                recent.push_back(its);
                if (static_cast<int>(recent.size()) == last) { recent.pop_front(); }
            }
        }
    }
}

TEST_CASE("segments of a call differ where a transport has short tags") {
    constexpr std::uint64_t fewest = 1 << 14;  // the half of MPI's tags
    for (std::uint64_t call = 0; call < 50; ++call) {
        std::set<std::uint64_t> all;
        auto of_pairs = false;
        for (int segment = -1; segment + 1 < static_cast<int>(fewest); ++segment) {
            auto const tag = coll::detail::message_tag(7, coll::mix(9, call), segment);
            of_pairs = of_pairs || (tag & coll::pair_bit) != 0;
            all.insert(tag % fewest);
        }
        CHECK(all.size() == fewest);
        CHECK_FALSE(of_pairs);
    }
}
