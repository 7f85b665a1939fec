// SPDX-License-Identifier: BSD-3-Clause
// What one of our ranks does in a launch, whatever carries it.
#pragma once

#include "../board.hpp"
#include "../job.hpp"

#include <collectives/communicator.hpp>

#include <functional>
#include <string>
#include <vector>

namespace coll_perf {

namespace coll = collectives;

using rank_body = std::function<void(coll::communicator&)>;

/// Measures all cases. Rank 0 hands each result, as a line, to `tell`.
void measure_on_rank(coll::communicator& me, board meeting, settings const& how,
                     std::vector<measured_case> const& cases,
                     std::function<void(std::string const&)> const& tell);

}  // namespace coll_perf
