// SPDX-License-Identifier: BSD-3-Clause
// What one of our ranks does in a launch, whatever carries it.
#pragma once

#include "../board.hpp"
#include "../job.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace coll_perf {

/// A rank, without the type of its communicator.
struct rank_handle {
    int rank = 0;
    std::size_t transport = 0;     ///< its place in `transports`
    void* communicator = nullptr;  ///< of that transport
    /// Memory that peers can reach, for as long as the pointer lives. Collective.
    std::function<std::shared_ptr<std::byte>(std::size_t bytes)> allocate;
};

using rank_body = std::function<void(rank_handle const&)>;

/// Measures all cases. Rank 0 hands each result, as a line, to `tell`.
void measure_on_rank(rank_handle const& me, board meeting, settings const& how,
                     std::vector<measured_case> const& cases,
                     std::function<void(std::string const&)> const& tell);

}  // namespace coll_perf
