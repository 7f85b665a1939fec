// SPDX-License-Identifier: BSD-3-Clause
// The ranks of an MPI job.
#pragma once

#include <collectives/collectives.hpp>
#include <collectives/launch/bootstrap/mpi.hpp>
#include <collectives/launch/hosts.hpp>
#include <collectives/transport/mpi/transport.hpp>

#include <memory>

namespace collectives::mpi {

/// A communicator of the ranks of an MPI communicator, which it duplicates. Collective. It must go
/// before MPI_Finalize.
class communicator : public collectives::communicator<mpi::transport> {
public:
    explicit communicator(MPI_Comm ranks)
        : collectives::communicator<mpi::transport>(std::make_shared<mpi::transport>(ranks)) {}
};

/// The same, but ranks that share a host exchange messages through its memory, and `automatic`
/// knows of the hosts: see bridge_hosts.
class hierarchical_communicator
    : public collectives::communicator<bridged_transport<shm::transport, mpi::transport>> {
public:
    explicit hierarchical_communicator(MPI_Comm ranks)
        : hierarchical_communicator(mpi::communicator(ranks)) {}

private:
    explicit hierarchical_communicator(mpi::communicator flat)
        : collectives::communicator<bridged_transport<shm::transport, mpi::transport>>(
              bridge_hosts(flat)) {}
};

}  // namespace collectives::mpi
