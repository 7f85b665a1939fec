// SPDX-License-Identifier: BSD-3-Clause
// ring: every rank talks to its two neighbours; partial sums of all chunks travel at once.
//
//     round   rank 0    rank 1   rank 2   rank 3         P = 4; the chunk each rank has just added
//       0     c 3+0     d 0+1    a 1+2    b 2+3          to, and the ranks summed in it
//       1     b 2+3+0   c 3+0+1  d 0+1+2  a 1+2+3
//       2     a S       b S      c S      d S            chunk i is complete on rank i
//       3     d S       a S      b S      c S            and now what is complete travels round
//      4-5    ...       all have all
//
//     rounds         2(P-1)
//     busiest sends  2 n (P-1)/P, as all do: the lower bound; it adds n (P-1)/P, the lower bound
//     memory         n / P
//     operator       associative and commutative: the sum of chunk i begins at rank i+1
//
// all_to_all is the exception: in P-1 rounds each rank sends a block to every other rank. scan is a
// chain that does not close: the chunks follow each other from rank 0 to rank P-1, in 2(P-1)
// rounds, and a rank sends and adds n. It keeps the order of the ranks. Patarasuk, Yuan, Bandwidth
// Optimal All-reduce Algorithms for Clusters of Workstations, JPDC 2009.
#pragma once

#include <collectives/schedule/proof.hpp>
#include <collectives/schedule/step.hpp>
#include <collectives/schedule/linear.hpp>

#include <string_view>
#include <type_traits>

namespace collectives::inline v0 {

struct ring {
    static constexpr std::string_view name = "ring";
    static constexpr run_hints hints = {.overlap_segments = true};
    static constexpr int chunks(int size) { return size; }
    static constexpr detail::sum_order sums(std::type_identity<ring>, collective what,
                                            int /*size*/) {
        return is_prefix(what) ? detail::sum_order::consecutive : detail::sum_order::rotating;
    }

    /// Passes partial sums on; rank `me` ends owning chunk `me`.
    static constexpr void reduce_scatter(rank_t me, int size, step_sink auto&& emit) {
        auto const wrap = [size](int i) { return (i + 2 * size) % size; };
        for (int r = 0; r < size - 1; ++r) {
            emit(step{r, verb::send, wrap(me + 1), {wrap(me - r - 1)}});
            emit(step{r, verb::recv_reduce, wrap(me - 1), {wrap(me - r - 2)}});
        }
    }

    /// Passes complete chunks on.
    static constexpr void all_gather(rank_t me, int size, step_sink auto&& emit) {
        auto const wrap = [size](int i) { return (i + 2 * size) % size; };
        for (int r = 0; r < size - 1; ++r) {
            emit(step{r, verb::send, wrap(me + 1), {wrap(me - r)}});
            emit(step{r, verb::recv_copy, wrap(me - 1), {wrap(me - r - 1)}});
        }
    }

    /// Blocks travel towards the root, the nearest ones first.
    static constexpr void gather(rank_t me, int size, rank_t root, step_sink auto&& emit) {
        auto const wrap = [size](int i) { return (i + size) % size; };
        int const behind = size - 1 - wrap(root - me);  // ranks whose blocks pass through me
        for (int r = 0; r <= behind; ++r) {
            if (me != root) { emit(step{r, verb::send, wrap(me + 1), {wrap(me - r)}}); }
            if (r < behind) { emit(step{r, verb::recv_copy, wrap(me - 1), {wrap(me - 1 - r)}}); }
        }
    }

    /// Blocks travel away from the root, those that go farthest first.
    [[gnu::cold]] static constexpr void scatter(rank_t me, int size, rank_t root,
                                                step_sink auto&& emit) {
        auto const wrap = [size](int i) { return (i + size) % size; };
        int const distance = wrap(me - root);
        for (int r = distance == 0 ? 0 : distance - 1; r < size - 1; ++r) {
            // In round r, rank root + d passes on the block of rank root + size - 1 - (r - d).
            int const sent = wrap(root - 1 - r + distance);
            if (r >= distance) { emit(step{r, verb::send, wrap(me + 1), {sent}}); }
            if (distance > 0) { emit(step{r, verb::recv_copy, wrap(me - 1), {wrap(sent - 1)}}); }
        }
    }

    /// In round r - 1 every rank sends to the rank r places on: each link of a switch is used once.
    static constexpr void all_to_all(rank_t me, int size, step_sink auto&& emit) {
        for (int r = 1; r < size; ++r) {
            rank_t const to = (me + r) % size;
            rank_t const from = (me - r + size) % size;
            emit(step{r - 1, verb::send, to, {to}});
            emit(step{r - 1, verb::recv_copy, from, {from}});
        }
    }

    /// Chunk c reaches rank `me` in round me - 1 + c, and leaves it in the next.
    [[gnu::cold]] static constexpr void scan(rank_t me, int size, step_sink auto&& emit) {
        for (int c = 0; c < size; ++c) {
            linear::scan_step(me - 1 + c, me, me - 1, size, c, emit);
            linear::scan_step(me + c, me, me + 1, size, c, emit);
        }
    }
};

}  // namespace collectives
