// SPDX-License-Identifier: BSD-3-Clause
// The linear algorithms: each block, or each contribution to a scan, goes straight to its place in
// one round.
#pragma once

#include <collectives/schedule/step.hpp>

/// Every algorithm without a better way uses these. Chunk i is the block of rank i.
namespace collectives::inline v0::linear {

/// Rank i sends block i to the root.
[[gnu::cold]] constexpr void gather(rank_t me, int size, rank_t root, step_sink auto&& emit) {
    if (me != root) { return emit(step{0, verb::send, root, {me}}); }
    for (rank_t r = 0; r < size; ++r) {
        if (r != root) { emit(step{0, verb::recv_copy, r, {r}}); }
    }
}

/// The root sends block i to rank i.
[[gnu::cold]] constexpr void scatter(rank_t me, int size, rank_t root, step_sink auto&& emit) {
    if (me != root) { return emit(step{0, verb::recv_copy, root, {me}}); }
    for (rank_t r = 0; r < size; ++r) {
        if (r != root) { emit(step{0, verb::send, r, {r}}); }
    }
}

/// The root sends its only chunk to every rank.
[[gnu::cold]] constexpr void broadcast(rank_t me, int size, rank_t root, step_sink auto&& emit) {
    if (me != root) { return emit(step{0, verb::recv_copy, root, {0}}); }
    for (rank_t r = 0; r < size; ++r) {
        if (r != root) { emit(step{0, verb::send, r, {0}}); }
    }
}

/// Every rank sends its block to every other. Each begins with its successor, so that the ranks do
/// not all send to one rank first.
[[gnu::cold]] constexpr void all_gather(rank_t me, int size, step_sink auto&& emit) {
    for (int d = 1; d < size; ++d) { emit(step{0, verb::send, (me + d) % size, {me}}); }
    for (rank_t r = 0; r < size; ++r) {
        if (r != me) { emit(step{0, verb::recv_copy, r, {r}}); }
    }
}

/// Every rank sends block i of its input to rank i, and receives block i of its output from it.
[[gnu::cold]] constexpr void all_to_all(rank_t me, int size, step_sink auto&& emit) {
    for (int d = 1; d < size; ++d) {
        rank_t const to = (me + d) % size;
        emit(step{0, verb::send, to, {to}});
    }
    for (rank_t r = 0; r < size; ++r) {
        if (r != me) { emit(step{0, verb::recv_copy, r, {r}}); }
    }
}

/// A step of a scan: a rank sends to a higher one, and adds what a lower one sends. No step if
/// there is no such peer. Not inlined, since all scans call it.
[[gnu::cold, gnu::noinline]] constexpr void scan_step(int round, rank_t me, rank_t peer, int size,
                                                      int chunk, step_sink auto&& emit) {
    if (peer < 0 || peer >= size || peer == me) { return; }
    emit(step{round, peer > me ? verb::send : verb::recv_reduce, peer, {chunk}});
}

/// Every rank sends its only chunk to all higher ranks, and adds up those of all lower ranks. The
/// sum is one reduction in rank order, rounded once.
[[gnu::cold]] constexpr void scan(rank_t me, int size, step_sink auto&& emit) {
    for (rank_t r = 0; r < size; ++r) { scan_step(0, me, r, size, 0, emit); }
}

}  // namespace collectives::linear
