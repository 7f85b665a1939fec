// SPDX-License-Identifier: BSD-3-Clause
// Where each chunk of a call is in the caller's buffers, in bytes.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/lower/call_shape.hpp>
#include <collectives/core/types.hpp>

#include <cstddef>

namespace collectives::inline v0::lowering {

/// A range of bytes of a buffer that holds a chunk.
struct byte_range {
    bool there = false;
    std::size_t offset = 0;
    std::size_t bytes = 0;
};

/// For each chunk: its place in the input and in the output, and whether this rank has it at the
/// start and must have it at the end.
struct layout {
    lean_vector<byte_range> input, output;
    lean_vector<std::size_t> bytes;  // of each chunk
    std::size_t elem_size = 1;
    lean_vector<char> held, wanted;  // truth values; vector<bool> is much code
    bool separate = false;  // all_to_all: chunk i of the input is not chunk i of the output
};

namespace detail {

[[gnu::cold]] inline lean_vector<extent> cut(std::size_t count, int chunks,
                                             lean_vector<std::size_t> const& counts) {
    lean_vector<extent> result(static_cast<std::size_t>(chunks));
    std::size_t first = 0;
    for (int c = 0; c < chunks; ++c) {
        auto const i = static_cast<std::size_t>(c);
        result[i] = counts.empty() ? block(count, chunks, c) : block_of(counts, chunks, i, first);
        first = result[i].first + result[i].size;
    }
    return result;
}

}  // namespace detail

/// Cuts the buffers of a call into `chunks` chunks and takes part `segment` of `segments` of each
/// (0 of 1: all of it). O(chunks).
[[gnu::cold]] inline layout lay_out(call_shape const& call, int chunks, int segment = 0,
                                    int segments = 1) {
    auto const n = static_cast<std::size_t>(chunks);
    auto const me = static_cast<std::size_t>(call.rank);
    auto const& traits = traits_of(call.what);
    auto const own_block_in = traits.input == holding::own;
    auto const own_block_out = traits.output == holding::own;

    layout result;
    result.separate = call.what == collective::all_to_all;
    result.elem_size = call.elem_size;
    result.input.resize(n);
    result.output.resize(n);
    result.bytes.resize(n);
    result.held.resize(n);
    result.wanted.resize(n);
    lean_vector<extent> whole(n);
    if (call.knows_all_blocks) {
        whole = detail::cut(call.count, chunks, call.counts);
    } else {
        whole[me] = {0, call.count};
    }
    auto const received =
        call.recv_counts.empty() ? whole : detail::cut(call.count, chunks, call.recv_counts);
    auto const place = [&](extent e, std::size_t base) {
        auto const part = block(e.size, segments, segment);
        return byte_range{true, (e.first + part.first - base) * call.elem_size,
                          part.size * call.elem_size};
    };
    for (std::size_t c = 0; c < n; ++c) {
        result.bytes[c] = place(whole[c], 0).bytes;
        auto const i = static_cast<int>(c);
        auto const holds = has(traits.input, call.rank, call.root, i);
        auto const wants = has(traits.output, call.rank, call.root, i);
        if (holds) { result.input[c] = place(whole[c], own_block_in ? whole[c].first : 0); }
        if (wants) { result.output[c] = place(received[c], own_block_out ? received[c].first : 0); }
        result.held[c] = holds;
        result.wanted[c] = wants;
    }
    return result;
}

}  // namespace collectives::lowering
