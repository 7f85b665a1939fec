// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <collectives/communicator/message_path.hpp>
#include <collectives/core/compiled.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/mpi.hpp>
#include <collectives/transport/mpi/transport.hpp>

namespace collectives::inline v0::mpi {

COLLECTIVES_INLINE collectives::communicator communicator(MPI_Comm ranks) {
    return collectives::detail::communicator_over(make_shared_object<mpi::transport>(ranks));
}

COLLECTIVES_INLINE collectives::communicator hierarchical_communicator(MPI_Comm ranks) {
    auto flat = mpi::communicator(ranks);
    return bridge_hosts(flat);
}

}  // namespace collectives::mpi
