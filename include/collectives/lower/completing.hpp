// SPDX-License-Identifier: BSD-3-Clause
// Finds the reductions that complete a chunk. In these passes the operator's `finish` is applied
// (the division of an average).
#pragma once

#include <collectives/core/lean_list.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/schedule/schedule.hpp>

#include <cstddef>
#include <utility>

namespace collectives::inline v0::lowering {

/// The (round, chunk) pairs, by round, in which one rank gets all contributions by a reduction.
using completing_list = lean_vector<std::pair<int, int>>;

/// The lists of all ranks. Counts the contributions through all schedules: O(steps x chunks).
[[gnu::cold]] inline lean_vector<completing_list> completing_reductions(
    lean_list<schedule> const& all) {
    auto const size = static_cast<int>(all.size());
    auto const chunks = static_cast<std::size_t>(all.front().chunks);
    lean_vector<int> held(all.size() * chunks, 1);  // by rank, then chunk
    lean_vector<std::size_t> next(all.size());
    lean_vector<completing_list> result(all.size());
    struct change {
        std::size_t rank, chunk;
        int count;
        bool reduces;
    };
    lean_vector<change> changes;
    for (int round = 0; round < all.front().rounds; ++round) {
        changes.clear();
        for (std::size_t r = 0; r < all.size(); ++r) {
            auto const& steps = all[r].steps;
            for (auto& i = next[r]; i < steps.size() && steps[i].round == round; ++i) {
                auto const& s = steps[i];
                if (s.what == verb::send) { continue; }
                for (int k = 0; k < s.chunks.count; ++k) {
                    auto const c = static_cast<std::size_t>(s.chunks.first + k) % chunks;
                    changes.push_back({r, c, held[static_cast<std::size_t>(s.peer) * chunks + c],
                                       s.what == verb::recv_reduce});
                }
            }
        }
        for (auto const& change : changes) {
            auto& count = held[change.rank * chunks + change.chunk];
            count = change.reduces ? count + change.count : change.count;
            if (change.reduces && count == size) {
                result[change.rank].push_back({round, static_cast<int>(change.chunk)});
            }
        }
    }
    return result;
}

}  // namespace collectives::lowering
