// SPDX-License-Identifier: BSD-3-Clause
// What one rank knows of a call without reading a buffer.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/types.hpp>

#include <algorithm>
#include <cstddef>

namespace collectives::inline v0::lowering {

/// Where the block of rank i lies in a vector that `counts` (see call_shape) cut for `ranks` ranks.
/// `behind`: the end of the block before.
inline extent block_of(lean_vector<std::size_t> const& counts, int ranks, std::size_t i,
                       std::size_t behind) {
    auto const n = static_cast<std::size_t>(ranks);
    return {counts.size() > n ? counts[n + i] : behind, counts[i]};
}

/// The shape of a call.
struct call_shape {
    collective what = collective::all_reduce;
    int size = 1;
    rank_t rank = 0;
    rank_t root = 0;
    std::size_t count = 0;  // elements of all blocks, cut by block() without counts
    std::size_t elem_size = 1;
    // Elements of each rank's block; empty: block(). For blocks that do not lie one behind the
    // other, then the first element of each.
    lean_vector<std::size_t> counts;
    lean_vector<std::size_t> recv_counts;  // all_to_all alone: blocks of the output
    bool in_place = false;
    bool knows_all_blocks = true;  // false: `count` is this rank's own block (gather, scatter)

    /// Whether `counts` say where the blocks are.
    bool has_places() const { return counts.size() > static_cast<std::size_t>(size); }
    /// The bytes of the buffers that a rank passes, up to the end of the last block.
    std::size_t input_bytes() const {
        return bytes_of(traits_of(what).input == holding::own, counts);
    }
    std::size_t output_bytes() const {
        return bytes_of(traits_of(what).output == holding::own,
                        recv_counts.empty() ? counts : recv_counts);
    }
    /// The contiguous parts of a whole input: all of it, or its blocks.
    int parts() const { return has_places() ? size : 1; }
    extent part(int i) const {
        if (!has_places()) { return {0, count}; }
        return block_of(counts, size, static_cast<std::size_t>(i), 0);
    }
    /// This rank's block of the whole vector.
    extent own_block() const {
        if (counts.empty()) { return block(count, size, rank); }
        extent own;
        for (std::size_t i = 0; i <= static_cast<std::size_t>(rank); ++i) {
            own = block_of(counts, size, i, own.first + own.size);
        }
        return own;
    }
    /// The elements up to the end of the last of these blocks.
    std::size_t end_of(lean_vector<std::size_t> const& blocks) const {
        if (blocks.empty()) { return count; }
        std::size_t end = 0;
        extent last;
        for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
            last = block_of(blocks, size, i, last.first + last.size);
            end = std::max(end, last.first + last.size);
        }
        return end;
    }

private:
    [[gnu::noinline]] std::size_t bytes_of(bool own_block,
                                           lean_vector<std::size_t> const& blocks) const {
        auto const elements = !knows_all_blocks ? count
                              : !own_block      ? end_of(blocks)
                              : blocks.empty()  ? block(count, size, rank).size
                                                : blocks[static_cast<std::size_t>(rank)];
        return elements * elem_size;
    }
};

}  // namespace collectives::lowering
