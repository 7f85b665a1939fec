// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are processes and reach each other by UCX. Which of its transports, UCX_TLS says.
#pragma once

#include <collectives/communicator/bootstrap_over.hpp>
#include <collectives/ucx.hpp>

#include <type_traits>

namespace ucx_world {

/// They meet through shared memory, over which nothing else goes.
template <class F>
void run(int size, F const& f) {
    collectives::shm::run(size, [&](auto& base) {
        collectives::bootstrap_over<std::remove_reference_t<decltype(base)>> meeting(base);
        collectives::ucx::communicator comm(meeting);
        f(comm);
    });
}

}  // namespace ucx_world
