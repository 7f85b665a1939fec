// SPDX-License-Identifier: BSD-3-Clause
// Whether kernels of several ranks that wait for each other certainly run at once.
#pragma once

#include <collectives/core/text.hpp>
#include <collectives/core/types.hpp>
#include <collectives/space/cuda/fused.hpp>
#include <collectives/transport/cuda/calls.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace collectives::cuda::detail {

/// What decides whether all grids run at once.
struct rank_device {
    uuid device{};
    std::uint64_t process = 0;
    std::int32_t multiprocessors = 0;
    std::int32_t share = 0;    // percent of them, under MPS
    std::int32_t streams = 0;  // of its process, that never wait for each other
    bool has_kernels = false;
};

/// Blocks of threads, one for a multiprocessor, that each rank may have running beside those of all
/// others, or why there is no such number.
struct residence {
    int blocks = 0;
    int of = 0;  // that this process may have running on the device
    std::string why_not;
};
template <class = void>
residence prove_residence(std::vector<rank_device> const& all, rank_t me) {
    auto const refused = [](auto const&... why) { return residence{0, 0, text_of(why...)}; };
    if (all.size() > static_cast<std::size_t>(most_fused_ranks)) {
        return refused("kernels let ", most_fused_ranks, " ranks meet at most, not ", all.size());
    }
    int blocks = most_fused_blocks, of = 0;
    for (std::size_t r = 0; r < all.size(); ++r) {
        auto const& mine = all[r];
        if (!mine.has_kernels) {
            return refused("rank ", r,
                           "'s program has no kernels: have nvcc compile one source "
                           "file that includes <collectives/cuda.cuh>");
        }
        int here = 0, share = 0;
        bool one_process = true;
        for (auto const& other : all) {
            if (other.device != mine.device) { continue; }
            ++here;
            share += other.share;
            one_process = one_process && other.process == mine.process;
            if (other.share == 0) { share += 1000; }  // it takes all
        }
        if (here > 1 && !one_process && share > 100) {
            return refused("rank ", r,
                           " shares its device with other processes, and kernels of "
                           "several processes take turns there unless they run under MPS, each "
                           "with a CUDA_MPS_ACTIVE_THREAD_PERCENTAGE, at most 100 in all");
        }
        if (here > 1 && one_process && mine.streams < 2 * here) {
            return refused("rank ", r, " is one of ", here,
                           " threads that share a device, and "
                           "streams of a process may wait for each other: set "
                           "CUDA_DEVICE_MAX_CONNECTIONS=32 before CUDA starts");
        }
        auto const own =
            one_process ? mine.multiprocessors : mine.multiprocessors * mine.share / 100;
        blocks = std::min(blocks, one_process ? own / here : own);
        if (static_cast<std::size_t>(me) == r) { of = own; }
    }
    if (blocks < 1) { return refused("there are not enough multiprocessors"); }
    return {blocks, of, {}};
}

}  // namespace collectives::cuda::detail
