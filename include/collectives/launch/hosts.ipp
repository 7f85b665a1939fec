// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <collectives/core/shared.hpp>
#include <collectives/launch/host_identity.hpp>
#include <collectives/launch/meet_on_host.hpp>
#include <collectives/launch/hosts.hpp>
#include <collectives/transport/bridged.hpp>
#include <collectives/transport/model.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace collectives::inline v0 {

COLLECTIVES_INLINE communicator bridge_hosts(communicator& comm, timeout time) {
    auto const identities = detail::identities_of(comm, {.timeout = time});
    auto hosts = detail::hosts_of(identities);
    auto inside = erase(detail::meet_on_host(comm, identities, hosts, time));
    return comm.with([&](shared_pointer<any_transport> between) -> shared_pointer<any_transport> {
        std::vector<int> host_of(static_cast<std::size_t>(between->size()), -1);
        auto const& of_job = core_of(comm)->engine().group().job_ranks();
        for (std::size_t r = 0; r < hosts.size(); ++r) {
            host_of[static_cast<std::size_t>(of_job[r])] = hosts[r];
        }
        return make_shared_object<bridged_transport>(std::move(between), std::move(inside),
                                                     std::move(host_of));
    });
}

}  // namespace collectives
