// SPDX-License-Identifier: BSD-3-Clause
// Starts a job whose ranks are threads of this process.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/core/compiled.hpp>
#include <collectives/core/function_ref.hpp>

/// Ranks that are threads of one process.
namespace collectives::inline v0::threads {

/// What the function that `run` calls gets.
using communicator = collectives::communicator;

namespace detail {

void run(int size, function_ref<void(communicator&)> body);

}  // namespace detail

/// Calls f(comm) on `size` threads at once and returns when all have returned. Throws the exception
/// of the rank that failed first; those of the others are its consequences.
template <class F>
void run(int size, F&& f) {
    detail::run(size, [&f](communicator& comm) { f(comm); });
}

}  // namespace collectives::threads

#ifndef COLLECTIVES_COMPILED
#include <collectives/launch/threads.ipp>
#endif
