// SPDX-License-Identifier: BSD-3-Clause
// The ranks of an MPI job.
#pragma once

#include <collectives/collectives.hpp>
#include <collectives/launch/bootstrap/mpi.hpp>
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

}  // namespace collectives::mpi
