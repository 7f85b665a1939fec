// SPDX-License-Identifier: BSD-3-Clause
// halving: recursive halving, then doubling. Partners exchange halves of what they answer for.
//
//     round   rank 0    rank 1   rank 2   rank 3         P = 4; of chunks a, b, c, d each rank
//             abcd      abcd     abcd     abcd           answers for those shown
//       0     ab 0+1    cd 0+1   ab 2+3   cd 2+3         0 and 1, 2 and 3 exchange halves
//       1     a  S      c  S     b  S     d  S           0 and 2, 1 and 3: sums of all
//       2     ab S      cd S     ab S     cd S           back again, without adding
//       3     abcd S    abcd S   abcd S   abcd S
//
//     rounds         2 l + 2x, l = floor(log2 P), x = 1 if P is no power of two, else 0
//     busiest sends  2 n (q-1)/q + x n, q = 2^l; it adds n (q-1)/q + x n
//     memory         n / 2; a folded neighbour's vector comes in two halves (split_rounds.hpp)
//     operator       associative; the order of the ranks is kept
//
// The distance doubles while the chunks halve, so that sums stay over consecutive ranks; therefore
// the owner of a chunk is the bit-reversed (virtual) rank. Extra ranks fold onto a neighbour as in
// the butterfly, and own nothing. Rabenseifner, Optimization of Collective Reduction Operations,
// ICCS 2004; Thakur, Rabenseifner, Gropp, 2005.
#pragma once

#include <collectives/algorithm/fold_ranks.hpp>
#include <collectives/schedule/proof.hpp>
#include <collectives/schedule/step.hpp>

#include <string_view>
#include <type_traits>

namespace collectives::inline v0 {

struct halving {
    static constexpr std::string_view name = "halving";
    static constexpr run_hints hints = {.split_whole_rounds = true};
    static constexpr int chunks(int size) { return 1 << floor_log2(size); }
    static constexpr detail::sum_order sums(std::type_identity<halving>, collective, int /*size*/) {
        return detail::sum_order::consecutive;
    }

    static constexpr rank_t owner(int chunk, int size) {
        int v = 0;
        for (int bit = 1; bit < chunks(size); bit *= 2, chunk /= 2) { v = 2 * v + chunk % 2; }
        return detail::fold(0, size).real(v);
    }

    [[gnu::cold]] static constexpr void reduce_scatter(rank_t me, int size, step_sink auto&& emit) {
        detail::fold const f(me, size);
        if (f.is_folded()) { return emit(step{0, verb::send, f.pair(), {0, f.q}}); }
        if (f.in_pair()) { emit(step{0, verb::recv_reduce, f.pair(), {0, f.q}}); }
        int first = 0;
        int round = f.rounds();
        for (int distance = 1; distance < f.q; distance *= 2, ++round) {
            int const half = f.q / (2 * distance);
            bool const upper = (f.virtual_rank() & distance) != 0;
            rank_t const peer = f.real(f.virtual_rank() ^ distance);
            emit(step{round, verb::send, peer, {upper ? first : first + half, half}});
            first += upper ? half : 0;
            emit(step{round, verb::recv_reduce, peer, {first, half}});
        }
    }

    [[gnu::cold]] static constexpr void all_gather(rank_t me, int size, step_sink auto&& emit) {
        detail::fold const f(me, size);
        int const after = floor_log2(size);
        if (f.is_folded()) { return emit(step{after, verb::recv_copy, f.pair(), {0, f.q}}); }
        int first = 0;
        for (int distance = 1; distance < f.q; distance *= 2) {
            first += (f.virtual_rank() & distance) != 0 ? f.q / (2 * distance) : 0;
        }
        int round = 0;
        for (int distance = f.q / 2; distance > 0; distance /= 2, ++round) {
            int const half = f.q / (2 * distance);
            bool const upper = (f.virtual_rank() & distance) != 0;
            rank_t const peer = f.real(f.virtual_rank() ^ distance);
            emit(step{round, verb::send, peer, {first, half}});
            emit(step{round, verb::recv_copy, peer, {upper ? first - half : first + half, half}});
            first -= upper ? half : 0;
        }
        if (f.in_pair()) { emit(step{after, verb::send, f.pair(), {0, f.q}}); }
    }

    static constexpr void all_to_all(rank_t me, int size, step_sink auto&& emit) {
        detail::exchange_in_pairs(me, size, emit);
    }
};

}  // namespace collectives
