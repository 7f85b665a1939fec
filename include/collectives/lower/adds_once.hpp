// SPDX-License-Identifier: BSD-3-Clause
// When whoever adds values up can write the sums to the other ranks at once, which then need not
// read them: where all memory can be reached, each input is read once and each output written once.
#pragma once

#include <collectives/schedule/schedule.hpp>

#include <cstddef>
#include <vector>

namespace collectives::inline v0::lowering {

/// Whether in these schedules of an all_reduce, in a first round, every value goes straight to the
/// one rank that adds up its chunk, and in a second one the sums go from there to all. Then nobody
/// but that rank looks at that chunk in the first round. O(steps of all ranks).
inline bool adds_once_for_all(std::vector<schedule> const& all) {
    auto const chunks = static_cast<std::size_t>(all.front().chunks);
    std::vector<rank_t> owner(chunks, -1);
    auto const each_chunk = [&](auto&& visit) {  // visit(rank, step, owner of the chunk): fine?
        for (auto const& own : all) {
            for (auto const& s : own.steps) {
                for (int k = 0; k < s.chunks.count; ++k) {
                    auto const c = static_cast<std::size_t>(s.chunks.first + k) % chunks;
                    if (!visit(own.rank, s, owner[c])) { return false; }
                }
            }
        }
        return true;
    };
    return all.front().rounds == 2 && each_chunk([](rank_t me, step const& s, rank_t& owns) {
               if (s.what == verb::recv_reduce && owns == -1) { owns = me; }
               return s.what == verb::send || (s.what == verb::recv_reduce) == (s.round == 0);
           }) &&
           each_chunk([](rank_t me, step const& s, rank_t owns) {
               auto const from_it = s.what == verb::send && s.round == 1;
               return (s.what == verb::recv_reduce || from_it ? me : s.peer) == owns;
           });
}

}  // namespace collectives::lowering
