// SPDX-License-Identifier: BSD-3-Clause
// tree: a binomial tree. Neighbouring groups of ranks merge, doubling in size, until one is left.
//
//     round   rank 0    rank 1   rank 2   rank 3         P = 4, root 0
//             0         1        2        3
//       0     0+1       1        2+3      3              1 sends to 0, 3 to 2
//       1     S         1        2+3      3              2 sends to 0; S is the sum of all
//       2     S         1        S        3              0 sends to 2
//       3     S         S        S        S              0 sends to 1, 2 to 3
//
//     rounds         2 L, L = ceil(log2 P)
//     busiest sends  L n, rank 0; it also adds L n
//     memory         n
//     operator       associative; the order of the ranks is kept, for any root
//
// The groups are aligned, [j 2^k, (j+1) 2^k), not counted from the root as is usual: that is what
// keeps the order whoever is root. A scan sums up groups on their last rank, then passes the sum of
// all below a group down to its halves: 2 floor(log2 P) rounds at most, and less than 2 P messages
// of n in all. Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in
// MPICH, IJHPCA 2005; Brent, Kung, A Regular Layout for Parallel Adders, IEEE TC 1982.
#pragma once

#include <collectives/schedule/proof.hpp>
#include <collectives/schedule/step.hpp>
#include <collectives/schedule/linear.hpp>

#include <string_view>
#include <type_traits>

namespace collectives::inline v0 {

struct tree {
    static constexpr std::string_view name = "tree";
    static constexpr int chunks(int /*size*/) { return 1; }
    static constexpr detail::sum_order sums(std::type_identity<tree>, collective, int /*size*/) {
        return detail::sum_order::consecutive;
    }

    [[gnu::cold]] static constexpr void reduce(rank_t me, int size, rank_t root,
                                               step_sink auto&& emit) {
        for (int k = 0; k < ceil_log2(size); ++k) {
            auto const [kept, other, blocks] = merge(k, me, size, root);
            if (me == other) { emit(step{k, verb::send, kept, {0}}); }
            if (me == kept) { emit(step{k, verb::recv_reduce, other, {0}}); }
        }
    }

    [[gnu::cold]] static constexpr void broadcast(rank_t me, int size, rank_t root,
                                                  step_sink auto&& emit) {
        int const rounds = ceil_log2(size);
        for (int k = rounds - 1; k >= 0; --k) {
            auto const [kept, other, blocks] = merge(k, me, size, root);
            if (me == kept) { emit(step{rounds - 1 - k, verb::send, other, {0}}); }
            if (me == other) { emit(step{rounds - 1 - k, verb::recv_copy, kept, {0}}); }
        }
    }

    static constexpr void gather(rank_t me, int size, rank_t root, step_sink auto&& emit) {
        for (int k = 0; k < ceil_log2(size); ++k) {
            auto const [kept, other, blocks] = merge(k, me, size, root);
            if (me == other) { emit(step{k, verb::send, kept, blocks}); }
            if (me == kept) { emit(step{k, verb::recv_copy, other, blocks}); }
        }
    }

    [[gnu::cold]] static constexpr void scatter(rank_t me, int size, rank_t root,
                                                step_sink auto&& emit) {
        int const rounds = ceil_log2(size);
        for (int k = rounds - 1; k >= 0; --k) {
            auto const [kept, other, blocks] = merge(k, me, size, root);
            if (me == kept) { emit(step{rounds - 1 - k, verb::send, other, blocks}); }
            if (me == other) { emit(step{rounds - 1 - k, verb::recv_copy, kept, blocks}); }
        }
    }

    /// A group of `distance` ranks ends on a rank with (me + 1) % distance == 0. On the way up the
    /// odd groups send to the next one, on the way down the even ones.
    [[gnu::cold]] static constexpr void scan(rank_t me, int size, step_sink auto&& emit) {
        int const up = floor_log2(size);
        int round = 0;
        for (int k = 0; k < 2 * up; ++k) {
            bool const down = k >= up;
            int const distance = 1 << (down ? 2 * up - 1 - k : k);
            if (down && 3 * distance > size) { continue; }  // no even group has a next one
            if ((me + 1) % distance == 0) {
                bool const sends = ((me + 1) / distance % 2 == 0) == down;
                linear::scan_step(round, me, sends ? me + distance : me - distance, size, 0, emit);
            }
            ++round;
        }
    }

private:
    struct merger {
        rank_t kept = -1;
        rank_t other = -1;
        chunk_range blocks{};  ///< the ranks of the other's group
    };

    /// The leader of group j of 2^k ranks: the root if it is inside, else the lowest rank.
    static constexpr rank_t leader(int j, int k, rank_t root) {
        return root >> k == j ? root : j << k;
    }

    /// Who merges with whom when the group of 2^k ranks that `me` is in meets its sibling; nobody
    /// if there is no sibling. The leader of the union is the leader of one of the two.
    [[gnu::cold]] static constexpr merger merge(int k, rank_t me, int size, rank_t root) {
        int const mine = me >> k;
        int const sibling = mine ^ 1;
        if (sibling << k >= size) { return {}; }
        rank_t const kept = leader(mine >> 1, k + 1, root);
        int const leaving = kept == leader(mine, k, root) ? sibling : mine;
        int const end = (leaving + 1) << k < size ? (leaving + 1) << k : size;
        return {kept, leader(leaving, k, root), {leaving << k, end - (leaving << k)}};
    }
};

}  // namespace collectives
