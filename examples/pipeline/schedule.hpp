// SPDX-License-Identifier: BSD-3-Clause
// The order in which a stage works, as data: a list of passes over micro-batches. The program runs
// the lists (stage.hpp), replays them on a clock (replay.cpp) and draws them (picture.cpp).
#pragma once

#include <string>
#include <vector>

namespace pipeline {

enum class pass : unsigned char { forward, backward };

struct task {
    pass what;
    int micro_batch;
};

using task_list = std::vector<task>;  // of one stage, in order

/// GPipe (Huang et al., 2019): all forward passes, then all backward passes, the last
/// micro-batch first. Every micro-batch is live at once: stages keep its activations.
///
///     stage 0 of 2:  F0 F1 F2 .  .  B2 B1 B0
///     stage 1 of 2:     F0 F1 F2 B2 B1 B0
task_list gpipe(int stages, int stage, int micro_batches);

/// One forward, one backward (PipeDream-Flush, Narayanan et al., 2021): after S - 1 - stage
/// forward passes each further one is followed by a backward pass, which frees activations. At most
/// S - stage micro-batches are live.
///
///     stage 0 of 2:  F0 F1 .  B0 F2 B1 .  B2
///     stage 1 of 2:     F0 B0 F1 B1 F2 B2
task_list one_f_one_b(int stages, int stage, int micro_batches);

struct named_schedule {
    std::string name;
    task_list (*of_stage)(int stages, int stage, int micro_batches);

    std::vector<task_list> of_all(int stages, int micro_batches) const;
};

/// Both of them.
std::vector<named_schedule> const& schedules();

/// The most micro-batches whose forward pass has begun and whose backward pass has not ended.
int most_live(task_list const& tasks);

}  // namespace pipeline
