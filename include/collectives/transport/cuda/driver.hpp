// SPDX-License-Identifier: BSD-3-Clause
// Device-driven calls, as the host sees them: kernels that wait for other ranks' kernels.
#pragma once

#include <collectives/core/types.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace collectives::cuda {

/// Why a kernel ended without a result.
struct device_fault {
    enum class kind : std::uint8_t { none, timed_out, aborted, mismatched };
    kind is = kind::none;
    rank_t by = 0;              // whose kernel found it
    std::vector<rank_t> peers;  // that it waited for, or that had called something else
};

/// What a rank calls, without types.
struct device_request {
    enum class kind : std::uint8_t {  // as of kernels: see `fused_kind`
        one_shot,
        reduce,
        two_shot,
        reduce_scatter,
        all_gather,
        broadcast
    };
    kind what{};
    rank_t root = 0;
    std::size_t count = 0;  // elements of the whole vector
    std::size_t elem_size = 1;
    void const* in = nullptr;
    void* out = nullptr;
    std::uint64_t hash = 0;  // equal on all ranks
    std::chrono::nanoseconds allowed{};
    bool captured = false;  // into a graph
};

/// Starts kernels in which the ranks of one communicator meet, in the same order on all ranks.
class device_driver {
public:
    device_driver() = default;
    device_driver(device_driver const&) = delete;
    device_driver& operator=(device_driver const&) = delete;
    virtual ~device_driver() = default;

    /// What a reducer's kernel, or `move`, is to be given: valid until the next call. Calls follow
    /// each other in the order of their streams.
    virtual void const* describe(device_request const& r) = 0;
    /// Enqueues what adds nothing up.
    virtual void move(void const* described, void* stream) = 0;
    /// What kernels have said; looked at without waiting.
    virtual device_fault fault() const = 0;
    /// Ends kernels that wait for peers, now and from now on; those of ranks that are threads, too.
    /// Does not wait for that. From any thread.
    virtual void abort() = 0;
    /// That, where calls have failed, and those of other processes, too. A bit for each rank that
    /// may still be in this one's buffers when it returns; then its own kernels are through.
    virtual std::uint64_t end() = 0;
    /// Elements larger than that do not fit the slots.
    virtual std::size_t most_element_bytes() const = 0;

    std::uint64_t context = 0;  // of the communicator whose calls are device-driven
};

}  // namespace collectives::cuda
