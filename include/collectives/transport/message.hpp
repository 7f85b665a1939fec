// SPDX-License-Identifier: BSD-3-Clause
// A message as a transport is given it.
#pragma once

#include <collectives/core/types.hpp>
#include <collectives/schedule/step.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace collectives::inline v0 {

/// Set in the tags of send and recv, which are used again and again. It is clear in the tags of
/// collectives, which differ from call to call; those of a call's segments follow each other.
inline constexpr std::uint64_t pair_bit = std::uint64_t{1} << 63;

/// In the tags of collectives, and in the contexts of communicators: how often the ranks have gone
/// on after a loss. A transport with short tags keeps the generations apart, since messages of a
/// call that failed may still be under way.
inline constexpr std::uint64_t generation_bits = std::uint64_t{7} << 60;
/// How often the ranks had gone on after a loss when a tag was made.
constexpr std::uint64_t generation_of(std::uint64_t tag) { return (tag & generation_bits) >> 60; }
constexpr std::uint64_t with_generation(std::uint64_t context, std::uint64_t generation) {
    return (context & ~generation_bits) | generation << 60;
}

/// What a message belongs to, for traces. Transports never read it.
struct message_label {
    std::uint32_t operation = 0;  ///< number of the operation on its communicator
    int round = 0;                ///< of the schedule
    int segment = 0;              ///< of a pipelined call
    chunk_range chunks{};         ///< what travels
    collective what{};            ///< the collective
    verb action{};                ///< what this rank does
};

/// Takes the bytes of a message part by part, in order, instead of a buffer. Does not throw.
struct consumer {
    /// Takes the bytes from `offset` on.
    void (*take)(void* context, std::size_t offset, std::byte const* data,
                 std::size_t bytes) = nullptr;
    void* context = nullptr;  ///< what `take` gets first
    /// Whether there is one.
    explicit operator bool() const { return take != nullptr; }
};

/// A message on its way out. `data` belongs to the transport until the request tests true.
struct outgoing {
    rank_t to = 0;                    ///< the receiver
    std::uint64_t tag = 0;            ///< equal on both sides
    std::uint64_t check = 0;          ///< must equal the receiver's, else the receive is `wrong`
    std::byte const* data = nullptr;  ///< the first byte
    std::size_t bytes = 0;            ///< how many there are
    std::size_t granule = 1;          ///< a message is cut at multiples of this many bytes
    message_label label{};            ///< for traces
    bool size_agreed = false;         ///< the receiver is known to expect so many bytes
};

/// A message awaited. Its bytes go to `data`, or to `take` where the transport can do that.
struct incoming {
    rank_t from = 0;            ///< the sender
    std::uint64_t tag = 0;      ///< equal on both sides
    std::uint64_t check = 0;    ///< must equal the sender's
    std::byte* data = nullptr;  ///< where the first byte goes
    std::size_t bytes = 0;      ///< how many are expected
    std::size_t granule = 1;    ///< as of an outgoing message
    consumer take{};            ///< takes the bytes, where there is one
    /// Not zero: read no peer's memory any more.
    std::atomic<std::uint32_t> const* stop = nullptr;
    message_label label{};     ///< for traces
    bool size_agreed = false;  ///< the same on both sides
};

/// How a rank was lost.
struct peer_exit {
    bool died = false;   ///< false: it returned or ended by itself
    int signal = 0;      ///< that ended it; else 0
    bool lives = false;  ///< it has not ended, but its messages no longer arrive
};

}  // namespace collectives
