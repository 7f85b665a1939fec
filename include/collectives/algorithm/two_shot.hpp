// SPDX-License-Identifier: BSD-3-Clause
// two_shot: each rank adds up its own chunk of everybody's vector, then gives it to everybody.
//
//     round   rank 0    rank 1   rank 2   rank 3         P = 4; the complete chunks
//       0     a         b        c        d              each reads its chunk from the others
//       1     abcd      abcd     abcd     abcd           each reads the other chunks
//
//     rounds         2, with P-1 messages of each rank in each
//     busiest sends  2 n (P-1)/P, as all do: the lower bound; it adds n (P-1)/P, the lower bound
//     memory         none where peers' memory is read directly, n where messages are staged
//     operator       associative; one reduction in rank order, rounded once: `.reproducible` may
//                    ask for it
//
// One direct reduce-scatter and one direct all-gather: optimal in volume, and the bits of an
// element do not depend on where it stands. The two-shot kernels of vLLM, TensorRT-LLM and MSCCL++
// (Shah et al., arXiv 2504.09014).
#pragma once

#include <collectives/algorithm/one_shot.hpp>
#include <collectives/schedule/proof.hpp>
#include <collectives/schedule/step.hpp>

#include <string_view>
#include <type_traits>

namespace collectives::inline v0 {

struct two_shot {
    static constexpr std::string_view name = "two_shot";
    static constexpr int chunks(int size) { return size; }
    static constexpr detail::sum_order sums(std::type_identity<two_shot>, collective,
                                            int /*size*/) {
        return detail::sum_order::left_fold;
    }

    static constexpr void reduce_scatter(rank_t me, int size, step_sink auto&& emit) {
        one_shot::reduce_scatter(me, size, emit);
    }

    static constexpr void all_gather(rank_t me, int size, step_sink auto&& emit) {
        one_shot::all_gather(me, size, emit);
    }
};

}  // namespace collectives
