// SPDX-License-Identifier: BSD-3-Clause
// The input of check_plan: the plans of all ranks for successive calls, and what each call promises
// its callers.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/plan/plan.hpp>

#include <cstddef>

namespace collectives::inline v0::plans {

/// The buffers of one rank's call. In place, both are parts of one buffer, at `input_at` and
/// `output_at`.
struct user_buffers {
    std::size_t input_bytes = 0, output_bytes = 0;
    bool in_place = false;
    std::size_t input_at = 0, output_at = 0;
};

/// A value of a chunk: a rank's own contribution, or a sum of earlier values in this order.
struct promised_value {
    rank_t rank = -1;
    int chunk = -1;
    lean_vector<int> operands{};  // indices of earlier values; none: a contribution
    bool completes = false;
};

/// A chunk's bytes in a buffer.
struct promised_chunk {
    int chunk = 0;
    int value = -1;
    std::size_t offset = 0, bytes = 0;
};

/// What a run must do, by its schedule. Offsets count from the start of the rank's buffer.
struct promise {
    lean_vector<promised_value> values;
    lean_vector<lean_vector<promised_chunk>> inputs;   // per rank: where its contributions are
    lean_vector<lean_vector<promised_chunk>> outputs;  // per rank: what its output must hold
};

/// One segment of a call.
struct planned_run {
    lean_vector<plan> ranks;
    std::size_t behind = 0;  // distance of its input and output from the call's
    promise wanted;
};

struct planned_call {
    bool all_come = true;  // no rank ends before all have begun: it has no root
    int cell_depth = more_cells;
    lean_vector<user_buffers> buffers;  // of each rank
    lean_vector<planned_run> runs;      // all of one back end
};

/// Calls of one communicator, in order.
struct planned_history {
    std::size_t element = 1;   // bytes
    bool overlapping = false;  // ranks start all calls, each on its own buffers, before they wait
    lean_vector<planned_call> calls;
};

/// The verdict of check_plan. If it is not `ok`, `what` says why, and the rest says where.
struct plan_verdict {
    bool ok = true;
    std::string_view what = "proved";
    int call = -1, run = -1;
    rank_t rank = -1;
    int instruction = -1;
    explicit operator bool() const { return ok; }
};

}  // namespace collectives::plans
