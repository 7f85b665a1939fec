// SPDX-License-Identifier: BSD-3-Clause
// One rank as a process.
#pragma once

#include "binding.hpp"
#include "handover.hpp"

#include <collectives/core/descriptor.hpp>

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace collrun {

/// What a rank is started with.
struct start_order {
    int rank = 0;
    std::vector<std::string> const& command;
    std::vector<std::string> const& environment;
    std::vector<int> inherited;             // descriptors that it keeps beside the standard ones
    bool own_pipes = true;                  // else it writes where this process does
    sigset_t const& signals;                // that are blocked when it begins
    binding::place const* where = nullptr;  // else where this process runs
};

struct started {
    pid_t pid = 0;
    int fault = 0;         // errno of what failed; then there is no process
    bool is_bound = true;  // false: it could not be bound, so its program was not tried
    collectives::descriptor out, err;
};

/// Starts the rank; it dies with this process. Throws std::system_error for what the system
/// refuses.
started start(start_order const& order);

}  // namespace collrun
