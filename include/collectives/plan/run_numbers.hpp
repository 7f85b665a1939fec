// SPDX-License-Identifier: BSD-3-Clause
// Numbers runs, and finds those that must check whether peers have left an older run.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/plan/promise.hpp>

#include <algorithm>
#include <cstddef>

namespace collectives::inline v0::plans {

/// A run of the history: a segment of a call on all ranks.
struct run_of_history {
    int call = 0, segment = 0;
    backend by = backend::messages;
    int number = 0;        // among the runs of its back end that have a window; from 1
    bool is_known = true;  // peers are known to have left what the window waits for
};

/// The runs of a history in order. A rank need not check if a run that it has left could not end
/// before all ranks had come to it: they had then left everything older than the window.
inline lean_vector<run_of_history> number_runs(planned_history const& what) {
    lean_vector<run_of_history> result;
    int memory_runs = 0, cell_runs = 0, all_wrote = 0;
    lean_vector<bool> came{true};
    for (std::size_t c = 0; c < what.calls.size(); ++c) {
        auto const& call = what.calls[c];
        for (std::size_t s = 0; s < call.runs.size(); ++s) {
            run_of_history r{static_cast<int>(c), static_cast<int>(s)};
            r.by = backend_of(call.runs[s].ranks.front().shown.how);
            if (r.by == backend::memory) {
                r.number = ++memory_runs;
                came.push_back(call.all_come);
                auto const before = std::max(r.number - runs_at_once, 0);
                r.is_known = r.number <= channels || came[static_cast<std::size_t>(before)];
            } else if (r.by == backend::cells) {
                r.number = ++cell_runs;
                r.is_known = r.number < all_wrote + call.cell_depth;
                if (!r.is_known) { all_wrote = r.number - call.cell_depth + 1; }
                if (call.all_come) { all_wrote = r.number; }
            }
            result.push_back(r);
        }
    }
    return result;
}

}  // namespace collectives::plans
