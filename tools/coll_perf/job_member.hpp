// SPDX-License-Identifier: BSD-3-Clause
// coll_perf as one rank of a job that a launcher has started.
#pragma once

#include "options.hpp"

namespace coll_perf {

/// Measures what is asked for, as a rank of the launcher's job; rank 0 prints. `arguments` are
/// those of `main`, for the twin that goes on under the launcher of an MPI. The status of the
/// program.
int measure_as_member(options o, char** arguments);

/// Whether another rank of the launcher's job tells a mistake in the command line, which all of
/// them have.
bool another_rank_tells();

/// Measures the `order` in the command line, in a job that coll_perf itself had started.
int measure_order(int argc, char** argv);

}  // namespace coll_perf
