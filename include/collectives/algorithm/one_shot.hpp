// SPDX-License-Identifier: BSD-3-Clause
// one_shot: everybody reads everybody's whole vector at once, and adds up alone.
//
//     round   rank 0    rank 1   rank 2   rank 3         P = 4
//             0         1        2        3
//       0     S         S        S        S              S is the sum of all, in rank order
//
//     rounds         1, with P-1 messages of each rank in it
//     busiest sends  (P-1) n, as all do; it also adds (P-1) n
//     memory         none where peers' memory is read directly, (P-1) n where messages are staged
//     operator       associative; one reduction in rank order, rounded once: `.reproducible` may
//                    ask for it
//
// The least latency where reading from a peer costs little more than reading at all: threads,
// shared memory, GPUs of one machine. The one-shot kernels of vLLM, TensorRT-LLM and MSCCL++ (Shah
// et al., arXiv 2504.09014).
#pragma once

#include <collectives/schedule/proof.hpp>
#include <collectives/schedule/step.hpp>
#include <collectives/schedule/linear.hpp>

#include <string_view>
#include <type_traits>

namespace collectives::inline v0 {

struct one_shot {
    static constexpr std::string_view name = "one_shot";
    static constexpr int chunks(int /*size*/) { return 1; }
    static constexpr detail::sum_order sums(std::type_identity<one_shot>, collective,
                                            int /*size*/) {
        return detail::sum_order::left_fold;
    }

    static constexpr void steps(rank_t me, int size, step_sink auto&& emit) {
        for (int d = 1; d < size; ++d) { emit(step{0, verb::send, (me + d) % size, {0}}); }
        for (rank_t r = 0; r < size; ++r) {
            if (r != me) { emit(step{0, verb::recv_reduce, r, {0}}); }
        }
    }

    static constexpr void reduce(rank_t me, int size, rank_t root, step_sink auto&& emit) {
        if (me != root) { return emit(step{0, verb::send, root, {0}}); }
        for (rank_t r = 0; r < size; ++r) {
            if (r != root) { emit(step{0, verb::recv_reduce, r, {0}}); }
        }
    }

    static constexpr void broadcast(rank_t me, int size, rank_t root, step_sink auto&& emit) {
        linear::broadcast(me, size, root, emit);
    }

    /// Over `size` blocks: each reads its own block from everybody.
    [[gnu::cold]] static constexpr void reduce_scatter(rank_t me, int size, step_sink auto&& emit) {
        for (int d = 1; d < size; ++d) {
            rank_t const to = (me + d) % size;
            emit(step{0, verb::send, to, {to}});
        }
        for (rank_t r = 0; r < size; ++r) {
            if (r != me) { emit(step{0, verb::recv_reduce, r, {me}}); }
        }
    }

    static constexpr void all_gather(rank_t me, int size, step_sink auto&& emit) {
        linear::all_gather(me, size, emit);
    }
};

}  // namespace collectives
