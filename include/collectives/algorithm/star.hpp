// SPDX-License-Identifier: BSD-3-Clause
// star: one rank, the root, adds up what the others send it, one after the other, and sends it out.
//
//     round   rank 0    rank 1   rank 2   rank 3         P = 4, root 0
//             0         1        2        3
//       0     0+1       1        2        3              1 sends to 0
//       1     0+1+2     1        2        3              2 sends to 0
//       2     S         1        2        3              3 sends to 0; S is the sum of all
//      3-5    S         S        S        S              0 sends to 1, to 2, to 3
//
//     rounds         2(P-1)
//     busiest sends  (P-1) n, the root; it also adds (P-1) n
//     memory         n on the root
//     operator       associative; the order of the ranks is kept, for any root
//
// The parameter server of early machine learning, with the server among the workers. It is the
// easiest algorithm to understand, and its root sends P/2 times as much as the busiest rank of the
// best. See Liu, Chen, Wang, Gao, Distributed Machine Learning, 2018.
#pragma once

#include <collectives/schedule/proof.hpp>
#include <collectives/schedule/step.hpp>

#include <string_view>
#include <type_traits>

namespace collectives::inline v0 {

struct star {
    static constexpr std::string_view name = "star";
    static constexpr int chunks(int /*size*/) { return 1; }
    static constexpr detail::sum_order sums(std::type_identity<star>, collective, int /*size*/) {
        return detail::sum_order::consecutive;
    }

    /// The root receives in the order root-1, ..., 0, root+1, ..., so that it always holds a sum
    /// over consecutive ranks.
    static constexpr void reduce(rank_t me, int size, rank_t root, step_sink auto&& emit) {
        spokes(me, size, root, [&](int round, rank_t leaf) {
            if (me == root) { emit(step{round, verb::recv_reduce, leaf, {0}}); }
            if (me == leaf) { emit(step{round, verb::send, root, {0}}); }
        });
    }

    static constexpr void broadcast(rank_t me, int size, rank_t root, step_sink auto&& emit) {
        spokes(me, size, root, [&](int round, rank_t leaf) {
            if (me == root) { emit(step{round, verb::send, leaf, {0}}); }
            if (me == leaf) { emit(step{round, verb::recv_copy, root, {0}}); }
        });
    }

    static constexpr void gather(rank_t me, int size, rank_t root, step_sink auto&& emit) {
        spokes(me, size, root, [&](int round, rank_t leaf) {
            if (me == root) { emit(step{round, verb::recv_copy, leaf, {leaf}}); }
            if (me == leaf) { emit(step{round, verb::send, root, {leaf}}); }
        });
    }

    static constexpr void scatter(rank_t me, int size, rank_t root, step_sink auto&& emit) {
        spokes(me, size, root, [&](int round, rank_t leaf) {
            if (me == root) { emit(step{round, verb::send, leaf, {leaf}}); }
            if (me == leaf) { emit(step{round, verb::recv_copy, root, {leaf}}); }
        });
    }

private:
    /// Visits (round, leaf) in order; a leaf visits only itself.
    static constexpr void spokes(rank_t me, int size, rank_t root, auto&& visit) {
        for (int round = 0; round < size - 1; ++round) {
            rank_t const leaf = round < root ? root - 1 - round : round + 1;
            if (me == root || me == leaf) { visit(round, leaf); }
        }
    }
};

}  // namespace collectives
