// SPDX-License-Identifier: BSD-3-Clause
// The checker: runs the schedules of all ranks on symbols and says whether the result is right.
#pragma once

#include <collectives/schedule/prover.hpp>
#include <collectives/schedule/schedule.hpp>

#include <span>

namespace collectives::inline v0 {

/// Proves the recorded schedules of all ranks, in rank order, or says where they are wrong. Proved:
///
///  - every result holds every contribution exactly once, under the same bracket on all ranks, so
///    that all ranks get the same bits; in a scan, exactly those of the ranks up to its own (in an
///    exscan, before it); or, where blocks are only moved, the right block;
///  - the k-th send of a round from one rank to another meets the k-th receive, over the same
///    chunks (in all_to_all as many), and nothing is left over;
///  - rounds ascend on each rank and are equal on both sides. So nothing can deadlock, even if a
///    send waits for its receive: of the ranks that are not done, one in the lowest round finds all
///    its peers of that round in it too, or about to enter it, as a round's steps start together;
///  - nothing in a round depends on timing: no chunk is copied into twice, or copied into and added
///    to;
///  - peers, chunks and rounds exist, and nobody sends or adds to a chunk it does not hold.
///
/// O(steps x chunks per step) for copies, times P/64 for sums.
constexpr proof check(std::span<schedule const> ranks) {
    return detail::prover({ranks.data(), ranks.size()}).run();
}

/// Proves an algorithm for one size, collective and root. Constant-evaluated up to 16 ranks under
/// the compilers' default limits: `static_assert(check(ring{}, 13).ok)`.
template <algorithm A>
constexpr proof check(A a, int size, collective what = collective::all_reduce, rank_t root = 0) {
    if (size < 1 || root < 0 || root >= size) { return {false, "there is no such size or root"}; }
    if (!fits(a, size)) { return {false, "the algorithm is not for so many ranks"}; }
    if (a.chunks(size) < 1) { return {false, "the algorithm has no chunks"}; }
    auto const ranks = record_all(a, what, size, root);
    return detail::prover({ranks.data(), ranks.size()}).run();
}

}  // namespace collectives
