// SPDX-License-Identifier: BSD-3-Clause
// Tries whether the ranks' streams can wait for each other by flags in the host's memory.
#pragma once

#include <collectives/core/device_space.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/launch/cuda_device_info.hpp>
#include <collectives/transport/any_transport.hpp>
#include <collectives/transport/cuda/order_flags.hpp>
#include <collectives/transport/cuda/space.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace collectives::inline v0::cuda::detail {

/// One rank's part. All ranks call the functions in the order in which they stand here, each one
/// only if no rank has thrown in the one before. They throw transport_error.
class flag_trial {
public:
    /// Bytes of host memory that a process needs for it.
    static std::size_t bytes(int ranks) {
        return order_flags::bytes_for(ranks) + order_flags::page;
    }

    flag_trial(any_transport& control, space& s, std::vector<device_info> const& infos,
               device_info const& mine)
        : ranks_(control.size()),
          host_(*control.memory()),
          one_process_(host_.always_reachable()),
          space_(s),
          infos_(infos),
          mine_(mine) {}

    /// Tests whether the device can. The first rank returns the place of the flags: in the `memory`
    /// that it has shared, or for threads an address.
    std::uint64_t begin(void* memory) {
        auto const others = std::any_of(infos_.begin(), infos_.end(), [&](device_info const& c) {
            return c.device != mine_.device;
        });
        if (!space_.calls().has_words(space_.device(), others)) {
            throw transport_error("its device's streams do not wait for words in memory");
        }
        auto const n = order_flags::bytes_for(ranks_);
        if (one_process_) {
            if (mine_.job_rank != infos_[0].job_rank) { return 0; }
            device_scope const here(&space_);
            auto calls = space_.shared_calls();
            auto* const p = calls->allocate_host(n);
            flags_ = {p, [calls](void* q) { calls->free_host(q); }};
            return reinterpret_cast<std::uintptr_t>(&flags_);
        }
        auto const at = reinterpret_cast<std::uintptr_t>(memory);
        auto const start = (at + order_flags::page - 1) / order_flags::page * order_flags::page;
        auto* const p = static_cast<std::byte*>(memory) + (start - at);
        std::memset(p, 0, n);
        return host_.reach(p, n);
    }
    /// Opens the flags. `place` is what the first rank's `begin` returned.
    void open(std::uint64_t place) {
        device_scope const here(&space_);
        void* at = nullptr;
        if (one_process_) {
            auto const found =
                reinterpret_cast<std::shared_ptr<void> const*>(static_cast<std::uintptr_t>(place));
            if (found != &flags_) { flags_ = *found; }
            at = flags_.get();
        } else {
            at = host_.at(place, order_flags::bytes_for(ranks_));
        }
        space_.set_words(std::make_unique<order_flags>(space_.shared_calls(), at, ranks_,
                                                       mine_.job_rank, !one_process_, flags_));
    }
    void write() {
        device_scope const here(&space_);
        space_.flags().note(static_cast<stream>(space_.queue()));
        require_soon([&] { return !space_.flags().has_pending_work(mine_.job_rank); },
                     "what its stream writes into the host's memory does not come there");
    }
    void wait() {
        device_scope const here(&space_);
        auto const queue = static_cast<stream>(space_.queue());
        for (auto const& c : infos_) { space_.flags().after(queue, c.job_rank); }
        auto const completion = space_.completion();
        require_soon([&] { return space_.passed(completion); },
                     "its stream does not see what others write into the host's memory");
    }
    /// Ends the waits of this rank's stream after a failure on any rank.
    void release() {
        for (auto const& c : infos_) { space_.flags().release(c.job_rank); }
        space_.drain_if_possible();
    }

private:
    template <class Condition>
    static void require_soon(Condition const& holds, char const* why) {
        auto const end = steady::now() + std::chrono::seconds(2);
        while (!holds()) {
            if (steady::now() > end) { throw transport_error(why); }
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    }

    int ranks_;
    peer_memory& host_;
    bool one_process_;
    space& space_;
    std::vector<device_info> const& infos_;
    device_info const& mine_;
    std::shared_ptr<void> flags_;  // of threads
};

}  // namespace collectives::cuda::detail
