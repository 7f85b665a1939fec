// SPDX-License-Identifier: BSD-3-Clause
// What butterfly and halving share: folding any number of ranks onto a power of two.
#pragma once

#include <collectives/schedule/step.hpp>

namespace collectives::inline v0::detail {

/// The largest power of two q <= size, and r = size - q extra ranks. The ranks (2v, 2v + 1), v < r,
/// act as one virtual rank v, the even one for both; above them rank v + r is virtual rank v. So
/// virtual rank v stands for the ranks block(size, q, v), and consecutive virtual ranks for
/// consecutive ranks: folding keeps the order.
struct fold {
    int q;
    int r;
    rank_t me;

    constexpr fold(rank_t rank, int size) : q(1 << floor_log2(size)), r(size - q), me(rank) {}

    constexpr int rounds() const { return r > 0 ? 1 : 0; }
    constexpr bool in_pair() const { return me < 2 * r; }
    constexpr bool is_folded() const { return in_pair() && me % 2 == 1; }
    constexpr rank_t pair() const { return me ^ 1; }
    constexpr int virtual_rank() const { return in_pair() ? me / 2 : me - r; }
    constexpr rank_t real(int v) const { return v < r ? 2 * v : v + r; }
};

/// All-to-all by pairs: in round k - 1 ranks me and me ^ k exchange blocks, one message a round.
[[gnu::cold]] constexpr void exchange_in_pairs(rank_t me, int size, step_sink auto&& emit) {
    for (int k = 1; k < 1 << ceil_log2(size); ++k) {
        rank_t const peer = me ^ k;
        if (peer >= size) { continue; }
        emit(step{k - 1, verb::send, peer, {peer}});
        emit(step{k - 1, verb::recv_copy, peer, {peer}});
    }
}

}  // namespace collectives::detail
