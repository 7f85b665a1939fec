// SPDX-License-Identifier: BSD-3-Clause
// How tensors are to be fused.
#pragma once

#include <collectives/communicator/options.hpp>
#include <collectives/fusion/fused_type.hpp>
#include <collectives/fusion/named_op.hpp>

#include <cstddef>

namespace collectives::inline v0 {

/// Every field has a default; equal on all ranks but for `timeout`.
struct fusion_options {
    std::size_t threshold = 64 << 20;  ///< the most bytes of a bucket; 0: every tensor by itself
    named_op op{};                     ///< default: sum
    any_algorithm algorithm{};         ///< default: automatic
    std::size_t segment = chosen_segment;  ///< as in `options`
    bool reproducible = false;             ///< as in `options`
    collectives::timeout timeout{};        ///< of each bucket, from its start
    void* stream = nullptr;                ///< devices alone: a bucket comes after what is on it
    bool progress_thread = false;          ///< buckets travel on a thread of the buffer's own
    compression compress{};                ///< what travels in fewer bits; default: nothing
    std::size_t under_way = 64;            ///< the most buckets that travel at once
    bool priorities = false;  ///< of those that are ready the highest starts first; see `add`

    /// The options of a bucket's call.
    options call() const { return {algorithm, segment, reproducible, timeout, stream}; }
};

}  // namespace collectives
