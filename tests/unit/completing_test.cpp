// SPDX-License-Identifier: BSD-3-Clause
// Which reductions complete a chunk: each sum is completed where it is made, and is only copied
// afterwards.
#include <collectives/schedule.hpp>
#include <collectives/lower/completing.hpp>
#include <collectives/schedule/any_algorithm.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace coll = collectives;

TEST_CASE("a chunk is complete on every rank once, by a reduction or by a copy of what was") {
    for (int size = 2; size <= 9; ++size) {
        for (auto const a : coll::all_algorithms) {
            auto const name = std::string(a.name());
            CAPTURE(name);
            CAPTURE(size);
            auto const all = a.record_all(coll::collective::all_reduce, size);
            auto const chunks = all.front().chunks;
            std::vector<std::set<std::pair<int, int>>> completes;
            for (auto const& found : coll::lowering::completing_reductions(all)) {
                completes.emplace_back(found.begin(), found.end());
                CHECK(completes.back().size() == found.size());
            }
            for (int c = 0; c < chunks; ++c) {
                auto completed_somewhere = false;
                for (int r = 0; r < size; ++r) {
                    auto const& mine = completes[static_cast<std::size_t>(r)];
                    // The last that a rank receives of a chunk makes it whole.
                    auto const covers = [&](coll::step const& s) {
                        return s.what != coll::verb::send &&
                               (c - s.chunks.first + chunks) % chunks < s.chunks.count;
                    };
                    auto const& steps = all[static_cast<std::size_t>(r)].steps;
                    auto const last = std::find_if(steps.rbegin(), steps.rend(), covers);
                    auto const n = std::count_if(mine.begin(), mine.end(),
                                                 [&](auto const& one) { return one.second == c; });
                    REQUIRE(last != steps.rend());
                    auto const reduces = last->what == coll::verb::recv_reduce;
                    CHECK(n == (reduces ? 1 : 0));
                    CHECK(mine.contains({last->round, c}) == reduces);
                    completed_somewhere = completed_somewhere || reduces;
                }
                CHECK(completed_somewhere);
            }
        }
    }
}
