// SPDX-License-Identifier: BSD-3-Clause
// A whole collective as one kernel, in which ranks wait for each other: what they share for that.
// Block b of a rank meets block b of every other rank and nobody else, so all blocks of all ranks
// must be running at once: who starts one has to know that.
#pragma once

#include <collectives/core/types.hpp>

#include <cstddef>
#include <cstdint>

namespace collectives::cuda {

inline constexpr int most_fused_ranks = 16;
inline constexpr int most_fused_blocks = 128;

/// Where a rank's buffer is, as its kernels tell peers. Threads tell the address. A process tells
/// the number of a window, which is memory that all peers have open, each at addresses of its own,
/// and how far in. 0: nowhere, so it goes through the slots.
struct fused_place {
    static constexpr int offset_bits = 42;
    static constexpr std::size_t windows = std::size_t{1} << 12;  // of a rank

    static constexpr std::uint64_t in_window(std::size_t number, std::uint64_t offset) {
        return static_cast<std::uint64_t>(number + 1) << offset_bits | offset;
    }
    static constexpr std::size_t window(std::uint64_t place) {
        return static_cast<std::size_t>(place >> offset_bits) - 1;
    }
    static constexpr std::uint64_t offset(std::uint64_t place) {
        return place & ((std::uint64_t{1} << offset_bits) - 1);
    }
};

/// Why a kernel ended without a result, in one word; 0: it did not.
struct fused_fault {
    enum kind : std::uint64_t { none, timed_out, aborted, mismatched };
    kind is = none;
    rank_t by = 0;            // whose kernel found it
    std::uint64_t peers = 0;  // a bit for each that it waited for, or that had called another thing

    constexpr std::uint64_t packed() const {
        return is | static_cast<std::uint64_t>(by) << 8 | peers << 16;
    }
    static constexpr fused_fault of(std::uint64_t packed) {
        return {static_cast<kind>(packed & 0xffU), static_cast<rank_t>(packed >> 8 & 0xffU),
                packed >> 16};
    }
};

/// What a fused kernel does. The vector of the last four is cut as `block` does.
enum class fused_kind : std::uint8_t {
    one_shot,        // all_reduce: each rank reads all inputs
    reduce,          // the root alone does
    two_shot,        // all_reduce: each adds up its block and writes the sums to all
    reduce_scatter,  // each adds up its block
    all_gather,      // each writes its block to all
    broadcast        // the root writes to all
};

/// What a block of one rank tells the same block of another. Written by one peer alone.
struct alignas(64) fused_signal {
    struct word {
        std::uint64_t call, in, out;  // a hash of the call; the places of the peer's buffers
    };
    std::uint64_t epoch;  // grows with every meeting, over all calls, also those of a graph
    word told[2];         // by the last bit of the epoch: the next call may come before all read
};

/// A rank's memory in which peers write.
struct fused_pad {
    fused_signal from[most_fused_blocks][most_fused_ranks];
    std::uint64_t epoch[most_fused_blocks];  // the rank's own
    std::uint64_t ended;                     // a `fused_fault`: a peer has given up
};

/// How a rank's kernels and its host talk, in the host's memory.
struct fused_mailbox {
    std::uint64_t abort;  // by the host: end
    std::uint64_t fault;  // by a kernel: a `fused_fault`
    // By each block that gives up: a bit for each peer that may be in this rank's buffers. All
    // others see that it has, before they would come.
    std::uint64_t inside[most_fused_blocks];
};

/// The ranks that meet in kernels, as one of them sees it. In its device's memory.
struct fused_team {
    rank_t rank;
    int size;
    std::size_t slot;  // bytes of each of a rank's three slots: two for inputs, one for outputs
    fused_mailbox* mail;
    fused_pad* pads[most_fused_ranks];
    std::byte* slots[most_fused_ranks];
    std::uint64_t* windows;  // of each rank in turn, as addresses here; null: places are addresses
};

/// A call without types. It goes through the slots where peers do not reach a buffer, which costs a
/// copy, part by part.
struct fused_call {
    fused_team const* with = nullptr;  // on the device
    int with_size = 1;                 // its ranks
    fused_kind kind{};
    rank_t root = 0;
    int blocks = 1;             // of threads; the same on all ranks
    std::size_t count = 0;      // elements of the whole vector
    std::size_t elem_size = 1;  // bytes
    std::byte const* in = nullptr;
    std::byte* out = nullptr;
    std::uint64_t where_in = 0, where_out = 0;  // `fused_place`s
    std::uint64_t hash = 0;
    std::uint64_t allowed = 0;  // ns
    bool quiet = false;         // peers are not told that it had no result
};

}  // namespace collectives::cuda
