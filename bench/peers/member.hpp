// SPDX-License-Identifier: BSD-3-Clause
// A driver on devices that is one rank, started by a rank of a launcher's job.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/launch/environment.hpp>
#include <collectives/launch/join.hpp>

#include <stdlib.h>

#include <string>

namespace peers {

/// Meets the other members, on this machine. There are `ranks` of them, however many ranks the
/// launcher started: its variables, which this process inherited, are removed. No other job has the
/// folder's name.
inline collectives::communicator join_members(char const* rank, int ranks, char const* folder) {
    for (auto const* const inherited : collectives::launcher_variables) { ::unsetenv(inherited); }
    ::unsetenv("COLLECTIVES_LOCAL_RANK");
    ::unsetenv("COLLECTIVES_LOCAL_SIZE");
    ::setenv("COLLECTIVES_RANK", rank, 1);
    ::setenv("COLLECTIVES_SIZE", std::to_string(ranks).c_str(), 1);
    ::setenv("COLLECTIVES_JOB", folder, 1);
    return collectives::shm::join();
}

}  // namespace peers
