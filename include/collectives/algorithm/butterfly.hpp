// SPDX-License-Identifier: BSD-3-Clause
// butterfly: recursive doubling. Partners at distance 1, 2, 4, ... exchange whole partial sums.
//
//     round   rank 0    rank 1   rank 2   rank 3         P = 4
//             0         1        2        3
//       0     0+1       0+1      2+3      2+3            0 and 1, 2 and 3 exchange
//       1     S         S        S        S              0 and 2, 1 and 3 exchange: the sum of all
//
//     rounds         l + 2x, l = floor(log2 P), x = 1 if P is no power of two, else 0
//     busiest sends  (l + x) n; it also adds (l + x) n
//     memory         n
//     operator       associative; the order of the ranks is kept
//
// If P is no power of two, the extra ranks fold onto their neighbours in one round before and get
// the result in one round after. The fewest rounds there are, at log2 P times the volume: for small
// vectors. All-gather doubles blocks in the same pattern, at optimal volume if P is a power of two.
// A scan doubles the sums that end at each rank, in ceil(log2 P) rounds for any P; a rank sends and
// adds as many n.
// Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in MPICH, 2005;
// Hillis, Steele, Data Parallel Algorithms, CACM 1986.
#pragma once

#include <collectives/algorithm/fold_ranks.hpp>
#include <collectives/schedule/linear.hpp>
#include <collectives/schedule/proof.hpp>
#include <collectives/schedule/step.hpp>

#include <string_view>
#include <type_traits>

namespace collectives::inline v0 {

struct butterfly {
    static constexpr std::string_view name = "butterfly";
    static constexpr int chunks(int /*size*/) { return 1; }
    static constexpr detail::sum_order sums(std::type_identity<butterfly>, collective,
                                            int /*size*/) {
        return detail::sum_order::consecutive;
    }

    [[gnu::cold]] static constexpr void steps(rank_t me, int size, step_sink auto&& emit) {
        detail::fold const f(me, size);
        int const after = f.rounds() + floor_log2(size);
        if (f.is_folded()) {
            emit(step{0, verb::send, f.pair(), {0}});
            emit(step{after, verb::recv_copy, f.pair(), {0}});
            return;
        }
        if (f.in_pair()) { emit(step{0, verb::recv_reduce, f.pair(), {0}}); }
        int round = f.rounds();
        for (int distance = 1; distance < f.q; distance *= 2, ++round) {
            rank_t const peer = f.real(f.virtual_rank() ^ distance);
            emit(step{round, verb::send, peer, {0}});
            emit(step{round, verb::recv_reduce, peer, {0}});
        }
        if (f.in_pair()) { emit(step{after, verb::send, f.pair(), {0}}); }
    }

    /// Over `size` blocks: groups of 1, 2, 4, ... virtual ranks exchange all the blocks they have.
    [[gnu::cold]] static constexpr void all_gather(rank_t me, int size, step_sink auto&& emit) {
        detail::fold const f(me, size);
        int const after = f.rounds() + floor_log2(size);
        // All but the folded rank's own block, so a range that may wrap around the end.
        chunk_range const rest{((me | 1) + 1) % size, size - 1};
        if (f.is_folded()) {
            emit(step{0, verb::send, f.pair(), {me}});
            emit(step{after, verb::recv_copy, f.pair(), rest});
            return;
        }
        if (f.in_pair()) { emit(step{0, verb::recv_copy, f.pair(), {f.pair()}}); }
        int round = f.rounds();
        for (int distance = 1; distance < f.q; distance *= 2, ++round) {
            int const v = f.virtual_rank();
            auto const group = [&](int u) {  // the blocks of the group of `distance` that u is in
                int const first = u / distance * distance;
                rank_t const end = first + distance == f.q ? size : f.real(first + distance);
                return chunk_range{f.real(first), end - f.real(first)};
            };
            rank_t const peer = f.real(v ^ distance);
            emit(step{round, verb::send, peer, group(v)});
            emit(step{round, verb::recv_copy, peer, group(v ^ distance)});
        }
        if (f.in_pair()) { emit(step{after, verb::send, f.pair(), rest}); }
    }

    static constexpr void all_to_all(rank_t me, int size, step_sink auto&& emit) {
        detail::exchange_in_pairs(me, size, emit);
    }

    /// After the round of distance d, a rank holds the sum of itself and the 2 d - 1 ranks below.
    [[gnu::cold]] static constexpr void scan(rank_t me, int size, step_sink auto&& emit) {
        int round = 0;
        for (int distance = 1; distance < size; distance *= 2, ++round) {
            linear::scan_step(round, me, me + distance, size, 0, emit);
            linear::scan_step(round, me, me - distance, size, 0, emit);
        }
    }
};

}  // namespace collectives
