// SPDX-License-Identifier: BSD-3-Clause
// Starts a job whose ranks are child processes of this one.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/core/compiled.hpp>
#include <collectives/core/function_ref.hpp>

/// Ranks that are processes of one machine and share memory.
namespace collectives::inline v0::shm {

/// What the function that `run` calls gets.
using communicator = collectives::communicator;

namespace detail {

void run(int size, function_ref<void(communicator&)> body);

}  // namespace detail

/// Calls f(comm) in `size` child processes at once and returns when all have ended. What they write
/// to captured variables is lost; stdio is flushed before the fork and at a child's end, and no
/// static destructors run there. Call it from a single-threaded program.
///
/// Throws run_error for the rank that failed first: it threw, exited, or was ended by a signal.
/// Once a rank has failed, those that have not ended 5 seconds later are killed, unless they
/// `shrink`.
template <class F>
void run(int size, F&& f) {
    detail::run(size, [&f](communicator& comm) { f(comm); });
}

}  // namespace collectives::shm

#ifndef COLLECTIVES_COMPILED
#include <collectives/launch/shm.ipp>
#endif
