// SPDX-License-Identifier: BSD-3-Clause
// Ranks on several machines. Each function calls its body once, on this rank, and throws what it
// throws.
#pragma once

#include <collectives/communicator.hpp>

#include <functional>
#include <string>

namespace trainer {

using rank_body = std::function<void(collectives::communicator&)>;

/// "mpich" or "openmpi" where the launcher of that MPI started this process; else empty.
std::string mpi_of_launcher();

/// One program cannot have two MPIs, so there is one for each. Goes on as that of the launcher's
/// MPI, with the same arguments; returns where this is it already. Throws std::runtime_error where
/// no MPI started this process, and where that program was not built.
void become_program_of_mpi(char** arguments);

/// Over MPI. Ends the job where the body throws.
void over_mpi(rank_body const& body);

/// Over the transport that `coll::join` chooses, of those that this program was built with.
void over_any(rank_body const& body);

/// Over UCX; with `bridged`, ranks of one host use its memory. Throws std::runtime_error where this
/// program was built without UCX.
void over_ucx(rank_body const& body, bool bridged);

}  // namespace trainer
