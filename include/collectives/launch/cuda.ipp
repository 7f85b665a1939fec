// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <collectives/communicator/core.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/core/text.hpp>
#include <collectives/launch/cuda.hpp>
#include <collectives/launch/cuda_setup.hpp>
#include <collectives/launch/host_identity.hpp>
#include <collectives/launch/meet_on_host.hpp>
#include <collectives/transport/model.hpp>
#include <collectives/transport/shm.hpp>

#include <cstddef>
#include <utility>

namespace collectives::inline v0::cuda {

namespace detail {

/// Whether the transport of these ranks shares host memory between them.
inline bool shares_host_memory(collectives::communicator const& comm) {
    auto& engine = core_of(comm)->engine();
    auto& carrier = engine.carrier();
    return carrier.memory() != nullptr && carrier.device() == nullptr &&
           engine.board().in_memory() != nullptr;
}

/// What the ranks of `base` share host memory by where that is not its own transport. Throws
/// usage_error for ranks on several machines.
inline shared_pointer<shm::transport> control_beside(collectives::communicator& base) {
    auto const identities = collectives::detail::identities_of(base);
    auto const hosts = collectives::detail::hosts_of(identities);
    for (std::size_t r = 0; r < hosts.size(); ++r) {
        if (hosts[r] == hosts[0]) { continue; }
        throw_error<usage_error>("rank ", base.rank(), ", cuda::communicator: ranks 0 and ", r,
                                 " are on different hosts");
    }
    return collectives::detail::meet_on_host(base, identities, hosts, {});
}

}  // namespace detail

COLLECTIVES_INLINE collectives::communicator communicate(collectives::communicator& base,
                                                         int device, settings with) {
    if (detail::shares_host_memory(base)) {
        return detail::device_setup(base, device, std::move(with)).communicate();
    }
    collectives::communicator inside(erase(detail::control_beside(base)));
    return detail::device_setup(inside, device, std::move(with)).communicate();
}

COLLECTIVES_INLINE space& space_of(collectives::communicator const& comm) {
    return dynamic_cast<space&>(*core_of(comm)->engine().space().device());
}

}  // namespace collectives::cuda
