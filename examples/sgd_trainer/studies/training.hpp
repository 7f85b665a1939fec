// SPDX-License-Identifier: BSD-3-Clause
// A training that a study runs, over threads of this process, and what was seen of it.
#pragma once

#include "../job.hpp"

#include <functional>
#include <vector>

namespace trainer::studies {

/// After an epoch.
struct epoch_seen {
    int steps = 0;       ///< done by then
    double seconds = 0;  ///< of training until then; tests of what was learnt are left out
    double loss = 0;     ///< mean over the epoch's images; no number where learning broke
    double accuracy = 0;
};

struct training_seen {
    std::vector<epoch_seen> epochs;
    std::vector<std::vector<step_record>> steps;  ///< [rank][step]
    double cpu_seconds = 0;                       ///< of all threads, with the tests
    bool ranks_agree = false;
    state last;

    double accuracy() const { return epochs.empty() ? 0 : epochs.back().accuracy; }
};

/// Called after each step with the steps done and all steps.
using on_step = std::function<void(int, int)>;

/// Trains over `how.ranks` threads, whatever `how.where` says. From `start`, or from the first
/// parameters of the seed where that has none. Hidden units and the loss scale are by default those
/// of `train`.
training_seen learn(settings how, data_set const& data, on_step const& tell = {}, state start = {});

/// The first images of both parts of the set, where it has more.
data_set first_images(data_set const& of, std::size_t to_learn_from, std::size_t to_test);

}  // namespace trainer::studies
