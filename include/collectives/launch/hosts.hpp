// SPDX-License-Identifier: BSD-3-Clause
// Lets the ranks of a communicator that share a host talk to each other through its memory.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/core/compiled.hpp>
#include <collectives/core/timeout.hpp>

namespace collectives::inline v0 {

/// The same ranks; those that share a host exchange messages through its memory from now on, others
/// as before, and `automatic` knows of the hosts. Collective. COLLECTIVES_RANKS_PER_HOST=2 lets
/// only ranks 0 and 1, 2 and 3, ... share a host, as if there were more of them.
///
/// Throws usage_error where that variable differs between ranks, timeout_error or transport_error
/// where ranks of a host do not meet; on all ranks.
communicator bridge_hosts(communicator& comm, timeout time = {});

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/launch/hosts.ipp>
#endif
