// SPDX-License-Identifier: BSD-3-Clause
// What one of our ranks does in a launch, whatever carries it.
#pragma once

#include "../sample_board.hpp"
#include "../job.hpp"

#include <collectives/communicator.hpp>

#include <functional>
#include <string>
#include <vector>

namespace coll_perf {

/// A rank of a job, and how long it took to become one.
struct job_rank {
    coll::communicator& comm;
    double seconds = 0;  ///< from the start of what made the communicator
};

using rank_body = std::function<void(job_rank const&)>;
using tell_function = std::function<void(std::string const&)>;

/// Measures all cases. Rank 0 hands each result, as a line, to `tell`. Ranks meet on a `board` or a
/// `message_board`.
template <class Meeting>
void measure_on_rank(job_rank const& me, Meeting& meeting, settings const& how,
                     std::vector<measured_case> const& cases, tell_function const& tell);

}  // namespace coll_perf
