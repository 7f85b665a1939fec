// SPDX-License-Identifier: BSD-3-Clause
// The ranks of an MPI job.
#pragma once

#include <collectives/collectives.hpp>
#include <collectives/launch/bootstrap/mpi.hpp>
#include <collectives/launch/hosts.hpp>
#include <collectives/transport/mpi/header.hpp>

/// Ranks of an MPI job.
namespace collectives::inline v0::mpi {

/// A communicator of the ranks of an MPI communicator, which it duplicates. Collective. It must go
/// before MPI_Finalize.
collectives::communicator communicator(MPI_Comm ranks);

/// The same, but ranks that share a host exchange messages through its memory, and `automatic`
/// knows of the hosts: see bridge_hosts.
collectives::communicator hierarchical_communicator(MPI_Comm ranks);

}  // namespace collectives::mpi

#ifndef COLLECTIVES_COMPILED_MPI
#include <collectives/mpi.ipp>
#endif
