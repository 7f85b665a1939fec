// SPDX-License-Identifier: BSD-3-Clause
// When each pass would run if every stage had a processor of its own.
#pragma once

#include "schedule.hpp"

#include <vector>

namespace pipeline {

/// How long the passes of one micro-batch take on each stage, and a message between two stages.
/// Any unit.
struct pass_times {
    std::vector<double> forward, backward;
    double message = 0;

    static pass_times equal(int stages, double forward, double backward);
};

struct interval {
    task work;
    double start, end;
};

struct timeline {
    std::vector<std::vector<interval>> stages;
    double total = 0;  // from the first pass to the end of the last one

    /// The part of all stages' time in which they wait: the bubble.
    double idle_share() const;
};

/// Runs the lists of all stages on one clock. A pass starts when its stage has done the one before
/// and the message with its input has come; sending takes a stage no time. Throws std::logic_error
/// if a list has a pass twice or lacks one, or if stages wait for each other in a circle.
timeline replay(std::vector<task_list> const& schedule, pass_times const& times);

/// (S - 1)/(M + S - 1): the bubble of S stages that take equally long, with free messages.
double bubble(int stages, int micro_batches);

/// Replays both schedules with equal times, for up to `stages` stages and `micro_batches`
/// micro-batches. Throws std::logic_error unless each takes exactly M + S - 1 times a forward and a
/// backward pass, which is the bubble above, and keeps as many micro-batches live as it says.
void prove_bubble(int stages, int micro_batches);

}  // namespace pipeline
