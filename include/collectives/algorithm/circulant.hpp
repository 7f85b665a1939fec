// SPDX-License-Identifier: BSD-3-Clause
// circulant: halving for any number of ranks. Each passes half of what it holds some places on.
//
//     round   rank 0    rank 1   rank 2   rank 3         P = 4; what each rank still answers for
//             abcd      bcda     cdab     dabc           begins with its own chunk
//       0     a 2+0     b 3+1    c 0+2    d 1+3          each sends its last two to rank + 2 and
//             b 2+0     c 3+1    d 0+2    a 1+3          adds what it gets to its first two
//       1     a S       b S      c S      d S            each sends its second to rank + 1
//      2-3    all-gather: the same rounds backwards, copying
//
//     rounds         2 L, L = ceil(log2 P), for any P
//     busiest sends  2 n (P-1)/P, as all do: the lower bound; it adds n (P-1)/P, the lower bound
//     memory         at most n / 2
//     operator       associative and commutative
//
// With s_0 = P and s_{k+1} = ceil(s_k / 2), round k sends the chunks [s_{k+1}, s_k), counted from
// the rank itself, s_{k+1} places on. Every message is one range that may wrap around the end.
// Traeff, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, arXiv 2410.14234.
#pragma once

#include <collectives/schedule/proof.hpp>
#include <collectives/schedule/step.hpp>

#include <string_view>
#include <type_traits>

namespace collectives::inline v0 {

struct circulant {
    static constexpr std::string_view name = "circulant";
    static constexpr int chunks(int size) { return size; }
    static constexpr detail::sum_order sums(std::type_identity<circulant>, collective,
                                            int /*size*/) {
        return detail::sum_order::rotating;
    }

    static constexpr void reduce_scatter(rank_t me, int size, step_sink auto&& emit) {
        int round = 0;
        for (int held = size; held > 1; held = (held + 1) / 2, ++round) {
            int const kept = (held + 1) / 2;
            rank_t const to = (me + kept) % size;
            rank_t const from = (me - kept + size) % size;
            emit(step{round, verb::send, to, {to, held - kept}});
            emit(step{round, verb::recv_reduce, from, {me, held - kept}});
        }
    }

    [[gnu::cold]] static constexpr void all_gather(rank_t me, int size, step_sink auto&& emit) {
        int const rounds = ceil_log2(size);
        for (int round = 0; round < rounds; ++round) {
            int const back = rounds - 1 - round;  // the round of the reduce-scatter to undo
            int const held = skip(size, back);
            int const kept = skip(size, back + 1);
            rank_t const to = (me - kept + size) % size;
            rank_t const from = (me + kept) % size;
            emit(step{round, verb::send, to, {me, held - kept}});
            emit(step{round, verb::recv_copy, from, {from, held - kept}});
        }
    }

private:
    /// s_k: `size` halved k times, rounding up each time, which is rounding up once.
    static constexpr int skip(int size, int k) { return (size + (1 << k) - 1) >> k; }
};

}  // namespace collectives
