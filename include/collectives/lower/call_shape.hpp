// SPDX-License-Identifier: BSD-3-Clause
// What one rank knows of a call without reading a buffer.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/types.hpp>

#include <cstddef>

namespace collectives::inline v0 {

/// The shape of a call.
struct call_shape {
    collective what = collective::all_reduce;
    int size = 1;
    rank_t rank = 0;
    rank_t root = 0;
    std::size_t count = 0;  // elements of the whole vector, cut by block() without counts
    std::size_t elem_size = 1;
    lean_vector<std::size_t> counts;       // elements of each rank's block; empty: block()
    lean_vector<std::size_t> recv_counts;  // all_to_all alone: blocks of the output
    bool in_place = false;
    bool knows_all_blocks = true;  // false: `count` is this rank's own block (gather, scatter)

    /// The bytes of the buffers that a rank passes.
    std::size_t input_bytes() const { return bytes_of(traits_of(what).input == holding::own); }
    std::size_t output_bytes() const { return bytes_of(traits_of(what).output == holding::own); }

private:
    std::size_t bytes_of(bool own_block) const {
        auto const elements = !own_block || !knows_all_blocks ? count
                              : counts.empty()                ? block(count, size, rank).size
                                               : counts[static_cast<std::size_t>(rank)];
        return elements * elem_size;
    }
};

}  // namespace collectives
