// SPDX-License-Identifier: BSD-3-Clause
// Where the input and the output of a collective lie, for ours and for the peers alike.
#pragma once

#include "job.hpp"

#include <collectives/core/types.hpp>

#include <algorithm>
#include <cstddef>

namespace coll_perf {

/// Elements of the whole vector: what fits into `bytes`, at least one, or one per block.
inline std::size_t count_for(coll::collective what, std::size_t bytes, std::size_t element,
                             int ranks) {
    if (what == coll::collective::barrier) { return 0; }
    auto const n = std::max<std::size_t>(bytes / element, 1);
    auto const p = static_cast<std::size_t>(ranks);
    return cuts_blocks(what) ? (n + p - 1) / p * p : n;
}

/// One rank's input and output, as offsets in elements into the first or the second of two vectors
/// of `count` elements. In place, both lie in the first.
struct shape {
    struct part {
        int vector = 0;
        std::size_t first = 0, count = 0;
    };
    part in, out;
    bool has_result = true;    ///< false where only other ranks get one
    part own_in{}, own_out{};  ///< the block that this rank copies itself, if there is one

    static shape of(kind const& k, std::size_t count, bool in_place, int rank, int ranks,
                    int root) {
        if (!k.is_message()) { return of(k.like, count, in_place, rank, ranks, root); }
        return {{0, 0, count}, {1, 0, count}, k.sender_to(rank, ranks) >= 0};
    }
    static shape of(coll::collective what, std::size_t count, bool in_place, int rank, int ranks,
                    int root) {
        using enum coll::collective;
        auto const cut = coll::block(count, ranks, rank);
        part const whole{0, 0, count};
        part const block{0, cut.first, cut.size};
        bool const gathers = what == all_gather || what == gather;
        bool const spreads = what == reduce_scatter || what == scatter;
        shape s{gathers ? block : whole, spreads ? block : whole, true};
        s.has_result = what == exscan                     ? rank != 0
                       : what == reduce || what == gather ? rank == root
                                                          : true;
        if (!in_place && what != broadcast) { s.out.vector = 1; }
        bool const moves_own = what == all_gather || what == all_to_all ||
                               ((what == gather || what == scatter) && rank == root);
        if (!in_place && moves_own) {
            s.own_in = block;
            s.own_out = {1, block.first, block.count};
        }
        // Where not all ranks have both, the others' vectors must not overlap by accident either.
        if (in_place && !s.has_result) { s.out.vector = 1; }
        if (in_place && what == scatter && rank != root) { s.in.vector = 1; }
        return s;
    }
};

}  // namespace coll_perf
