// SPDX-License-Identifier: BSD-3-Clause
// The one idea of the library: a collective algorithm is a pure function that emits steps.
#pragma once

#include <collectives/core/types.hpp>

#include <concepts>
#include <cstdint>
#include <string_view>

namespace collectives::inline v0 {

/// What a rank does in a step. All the `recv_reduce`s of one round into one chunk are one n-ary
/// reduction, own value included, in rank order (the lower rank is the left operand), rounded once.
enum class verb : std::uint8_t { send, recv_reduce, recv_copy };

/// A run of chunks, never of bytes. It may wrap around the end: {first = C - 1, count = 2} of C
/// chunks is the last one, then chunk 0.
struct chunk_range {
    int first = 0;  ///< the number of the first one
    int count = 1;  ///< how many there are
    friend constexpr bool operator==(chunk_range, chunk_range) = default;
};

/// One thing one rank does. A round is a set of steps that may run at once: a send in it reads the
/// value from before the round. A send and its receive carry the same round, and except in
/// all_to_all (where the sender names a block of its input, the receiver one of its output) the
/// same chunks.
struct step {
    int round = 0;           ///< from 0 on
    verb what = verb::send;  ///< what the rank does
    rank_t peer = 0;         ///< whom it sends to or receives from
    chunk_range chunks{};    ///< what is sent or received
    friend constexpr bool operator==(step const&, step const&) = default;
};

/// Anything steps can be handed to, one at a time, rounds in ascending order.
template <class Sink>
concept step_sink = std::invocable<Sink&, step>;

/// How the steps of an algorithm are best carried out: an algorithm may say it in a static member,
/// `static constexpr run_hints hints = {.split_whole_rounds = true};`.
struct run_hints {
    /// A long vector over messages is cut into segments. It pays if each rank sends to one peer all
    /// the time: while one segment waits for an answer, the others use the link.
    bool overlap_segments = false;
    /// A round in which a rank sends all its chunks is run as two, which halves its scratch.
    bool split_whole_rounds = false;
    /// In the last round of broadcast and all_gather, the sender of a value may write it to the
    /// outputs of its receivers. This is a promise, which derived types make too: a rank receives
    /// each chunk once, and no two sends of a rank overlap unless they are of the same chunks.
    bool push_copies = false;
};

/// The name of the enumerator.
constexpr std::string_view name(verb what) {
    return what == verb::send ? "send" : what == verb::recv_reduce ? "recv_reduce" : "recv_copy";
}

}  // namespace collectives
