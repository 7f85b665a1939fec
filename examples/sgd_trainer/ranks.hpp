// SPDX-License-Identifier: BSD-3-Clause
// Has ranks do something together: threads, processes, or processes that a launcher started.
#pragma once

#include "job.hpp"

#include <collectives/schedule/trace_event.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace trainer {

enum class task {
    train,     ///< from `start` on
    classify,  ///< the test images, with the parameters of `start`
    trace      ///< one ring all-reduce of the parameters, of several the quickest
};

/// `book` and `tell` are called on rank 0, which may be another process than the caller's.
struct work {
    task kind;
    settings const& how;
    data_set const& data;
    state const& start;
    observer& book;
    std::function<void(std::vector<collectives::trace_event> const&)> tell{};
};

/// Returns when all ranks have. Throws what a rank throws.
void run(work const& w);
/// The same where this program starts the ranks itself, none of which is lost, and they train on
/// processors: all that the demo needs.
void run_own(work const& w);

}  // namespace trainer
