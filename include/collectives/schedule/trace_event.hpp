// SPDX-License-Identifier: BSD-3-Clause
// When one step of one rank really began and ended.
#pragma once

#include <collectives/schedule/step.hpp>

#include <cstdint>

namespace collectives::inline v0 {

/// A traced step. Trivially copyable, so that ranks can gather each other's events. Times are
/// nanoseconds of the steady clock, which all processes of a machine share.
struct trace_event {
    std::int64_t begin_ns = 0;                 ///< when it was posted
    std::int64_t end_ns = 0;                   ///< when it was found done
    std::uint64_t bytes = 0;                   ///< its payload
    std::uint32_t operation = 0;               ///< number of the operation on its communicator
    collective what = collective::all_reduce;  ///< the collective that it belongs to
    verb action = verb::send;                  ///< what the rank did
    rank_t rank = 0;                           ///< the rank, in the job
    rank_t peer = 0;                           ///< its peer, in the job
    int round = 0;                             ///< of the schedule
    int segment = 0;                           ///< of a pipelined call; else 0
    chunk_range chunks{};                      ///< what was sent or received
    friend constexpr bool operator==(trace_event const&, trace_event const&) = default;
};

}  // namespace collectives
