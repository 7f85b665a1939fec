// SPDX-License-Identifier: BSD-3-Clause
// leaders: of ranks that share a device one does the work of all; the leaders then meet.
//
//     round   rank 0    rank 1   rank 2   rank 3         P = 4, devices {0, 1} and {2, 3}
//             ab 0      ab 1     ab 2     ab 3           a, b: the chunks, one for each leader
//       0     ab 0+1             ab 2+3                  each leader adds up what its own have
//       1     a  S               b  S                    leaders: two_shot's first half
//       2     ab S               ab S                    its second half
//       3     ab S      ab S     ab S     ab S           each leader gives its own the sums
//
//     rounds         4; 2 if all share one device; 2 if none do
//     busiest sends  n (H-1) + 2 n (M-1)/M, a leader of H ranks on one of M = P/H devices; it adds
//                    n (H-1) + n (M-1)/M
//     memory         n on the leaders
//     operator       associative; the order of the ranks is kept
//
// Device d has the ranks [d H, (d+1) H). The kernels of several processes take turns on a
// device, and each change costs a fraction of a millisecond; those of threads cost a start each. So
// it is one rank that reads all inputs and, where memory is reachable, writes all outputs in one
// kernel: of n bytes on each of H ranks that moves 2 H n, the least there is. Reduce and broadcast
// go through the leaders likewise, the root being one. NCCL's and MPICH's hierarchies have such
// leaders at each node.
#pragma once

#include <collectives/algorithm/two_shot.hpp>
#include <collectives/schedule/collector.hpp>
#include <collectives/schedule/proof.hpp>
#include <collectives/schedule/step.hpp>

#include <string_view>
#include <type_traits>

namespace collectives::inline v0 {

struct leaders {
    static constexpr std::string_view name = "leaders";
    static constexpr run_hints hints = {.push_copies = true};

    int ranks_per_device = 0;  ///< at least 1, and a divisor of the number of ranks

    constexpr int parameter() const { return ranks_per_device; }
    constexpr bool fits(int size) const {
        return ranks_per_device > 0 && size % ranks_per_device == 0;
    }
    constexpr int chunks(int size) const { return size / ranks_per_device; }
    constexpr detail::sum_order sums(std::type_identity<leaders>, collective, int size) const {
        bool const all_at_once = ranks_per_device == 1 || ranks_per_device == size;
        return all_at_once ? detail::sum_order::left_fold : detail::sum_order::consecutive;
    }

    [[gnu::cold]] constexpr void steps(rank_t me, int size, step_sink auto&& emit) const {
        int const per = ranks_per_device, devices = size / per, device = me / per;
        rank_t const head = device * per;
        int const gathered = per > 1 ? 1 : 0, between = devices > 1 ? 2 : 0;
        to_head(me, head, head, devices, emit);
        if (me == head && devices > 1) {
            auto down = among_heads(emit, gathered), up = among_heads(emit, gathered + 1);
            two_shot::reduce_scatter(device, devices, down);
            two_shot::all_gather(device, devices, up);
        }
        from_head(me, head, head, gathered + between, devices, emit);
    }

    constexpr void reduce(rank_t me, int size, rank_t root, step_sink auto&& emit) const {
        int const per = ranks_per_device, devices = size / per, device = me / per;
        rank_t const head = head_of(device, root);
        to_head(me, device * per, head, devices, emit);
        int const round = per > 1 ? 1 : 0;
        if (me == head && me != root) { emit(step{round, verb::send, root, {0, devices}}); }
        for (int d = 0; d < devices && me == root; ++d) {
            auto const other = head_of(d, root);
            if (other != me) { emit(step{round, verb::recv_reduce, other, {0, devices}}); }
        }
    }

    constexpr void broadcast(rank_t me, int size, rank_t root, step_sink auto&& emit) const {
        int const per = ranks_per_device, devices = size / per, device = me / per;
        rank_t const head = head_of(device, root);
        if (me == head && me != root) { emit(step{0, verb::recv_copy, root, {0, devices}}); }
        for (int d = 0; d < devices && me == root; ++d) {
            auto const other = head_of(d, root);
            if (other != me) { emit(step{0, verb::send, other, {0, devices}}); }
        }
        from_head(me, device * per, head, devices > 1 ? 1 : 0, devices, emit);
    }

private:
    constexpr auto among_heads(auto& emit, int round) const {
        return detail::relabelled(emit, {round, 0, ranks_per_device, 0, 1});
    }
    constexpr rank_t head_of(int device, rank_t root) const {
        return root / ranks_per_device == device ? root : device * ranks_per_device;
    }
    /// In round 0, over a device's ranks from `first` on.
    constexpr void to_head(rank_t me, rank_t first, rank_t head, int chunks, auto& emit) const {
        if (me != head) { return emit(step{0, verb::send, head, {0, chunks}}); }
        for (rank_t r = first; r < first + ranks_per_device; ++r) {
            if (r != head) { emit(step{0, verb::recv_reduce, r, {0, chunks}}); }
        }
    }
    constexpr void from_head(rank_t me, rank_t first, rank_t head, int round, int chunks,
                             auto& emit) const {
        if (me != head) { return emit(step{round, verb::recv_copy, head, {0, chunks}}); }
        for (rank_t r = first; r < first + ranks_per_device; ++r) {
            if (r != head) { emit(step{round, verb::send, r, {0, chunks}}); }
        }
    }
};

}  // namespace collectives
