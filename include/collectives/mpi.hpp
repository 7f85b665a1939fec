// SPDX-License-Identifier: BSD-3-Clause
// The ranks of an MPI job.
#pragma once

#include <collectives/collectives.hpp>
#include <collectives/communicator/message_path.hpp>
#include <collectives/launch/bootstrap/mpi.hpp>
#include <collectives/launch/hosts.hpp>
#include <collectives/transport/mpi/transport.hpp>

#include <memory>

/// Ranks of an MPI job.
namespace collectives::inline v0::mpi {

/// A communicator of the ranks of an MPI communicator, which it duplicates. Collective. It must go
/// before MPI_Finalize.
inline collectives::communicator communicator(MPI_Comm ranks) {
    return collectives::detail::communicator_over(std::make_shared<mpi::transport>(ranks));
}

/// The same, but ranks that share a host exchange messages through its memory, and `automatic`
/// knows of the hosts: see bridge_hosts.
inline collectives::communicator hierarchical_communicator(MPI_Comm ranks) {
    auto flat = mpi::communicator(ranks);
    return bridge_hosts(flat);
}

}  // namespace collectives::mpi
