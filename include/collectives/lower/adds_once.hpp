// SPDX-License-Identifier: BSD-3-Clause
// When one rank adds up each chunk for all. That rank can then write the sums to the other ranks,
// which need not read them: each input is read once and each output written once.
#pragma once

#include <collectives/core/lean_list.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/schedule/schedule.hpp>

#include <cstddef>

namespace collectives::inline v0::lowering {

/// Whether, in these schedules of an all_reduce, a first round brings every value straight to the
/// one rank that adds up its chunk, and a second round brings the sums from there to all ranks.
/// Then only that rank reads the chunk in the first round. O(steps of all ranks).
[[gnu::cold]] inline bool adds_once_for_all(lean_list<schedule> const& all) {
    auto const chunks = static_cast<std::size_t>(all.front().chunks);
    lean_vector<rank_t> owner(chunks, -1);
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
