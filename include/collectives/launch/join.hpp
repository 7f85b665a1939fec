// SPDX-License-Identifier: BSD-3-Clause
// Joins a job whose ranks a launcher started, each as a process of its own.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/core/compiled.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/launch/joiner.hpp>

namespace collectives::inline v0 {

/// The communicator of a job whose ranks were started by collrun, mpiexec, srun, torchrun or a
/// script. COLLECTIVES_TRANSPORT names the transport, of those whose headers the program includes:
/// shm, and with ucx.hpp ucx. Without it: shm where the launcher says that all ranks are on this
/// machine, or where there is nothing else; else ucx.
///
/// Throws what `join` of that transport throws, and usage_error where no transport is left.
communicator join(timeout time = {});

namespace detail {

/// Makes a transport one of those that `join` chooses from; its header calls this once.
bool add_joiner(joiner const& one);

}  // namespace detail

}  // namespace collectives

namespace collectives::inline v0::shm {

/// The communicator of a job whose ranks were started on this machine by mpiexec, srun, torchrun or
/// a script. Rank and size come from the environment (place_from_environment); jobs are told apart
/// by their launcher's process, or by COLLECTIVES_JOB. Nothing is left in any file system.
///
/// Throws usage_error if the environment makes no sense, timeout_error with the missing ranks if
/// not all come in time, transport_error for what the system refuses.
collectives::communicator join(timeout time = {});

}  // namespace collectives::shm

#ifndef COLLECTIVES_COMPILED
#include <collectives/launch/join.ipp>
#endif
