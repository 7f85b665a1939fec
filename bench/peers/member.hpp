// SPDX-License-Identifier: BSD-3-Clause
// A driver on devices that is one rank, started by a rank of a launcher's job.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/launch/join.hpp>

#include <stdlib.h>

#include <string>

namespace peers {

/// Meets the other members, on this machine. They are so many whatever the launcher has started,
/// whose variables they have inherited, and no other job has the folder's name.
inline collectives::communicator join_members(char const* rank, int ranks, char const* folder) {
    for (auto const* const inherited :
         {"RANK", "WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK",
          "PMI_SIZE", "PMIX_RANK", "SLURM_PROCID", "SLURM_NTASKS", "COLLECTIVES_LOCAL_RANK",
          "COLLECTIVES_LOCAL_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
          "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"}) {
        ::unsetenv(inherited);
    }
    ::setenv("COLLECTIVES_RANK", rank, 1);
    ::setenv("COLLECTIVES_SIZE", std::to_string(ranks).c_str(), 1);
    ::setenv("COLLECTIVES_JOB", folder, 1);
    return collectives::shm::join();
}

}  // namespace peers
