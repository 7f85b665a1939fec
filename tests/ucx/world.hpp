// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are processes and reach each other by UCX. Which of its transports, UCX_TLS says.
#pragma once

#include <collectives/communicator/bootstrap_over.hpp>
#include <collectives/transport/ucx/transport.hpp>
#include <collectives/ucx.hpp>

#include <conformance/capabilities.hpp>

#include <functional>

namespace ucx_world {

static_assert(conformance::capabilities_of<collectives::ucx::transport>() == [] {
    auto its = conformance::of_every_wire;
    its.registration = its.renewal = true;
    return its;
}());

/// They meet through shared memory, over which nothing else goes.
inline void run(int size, std::function<void(collectives::communicator&)> const& body) {
    collectives::shm::run(size, [&](collectives::communicator& base) {
        collectives::bootstrap_over meeting(base);
        auto comm = collectives::ucx::communicator(meeting);
        body(comm);
    });
}

}  // namespace ucx_world
