// SPDX-License-Identifier: BSD-3-Clause
// Which ranks share a host.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/files.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/core/type_name.hpp>
#include <collectives/launch/environment.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace collectives::inline v0::detail {

/// Where a rank runs, for the other ranks.
struct host_identity {
    std::uint64_t host = 0;    // equal for processes that can share memory
    std::uint64_t moment = 0;  // makes the name of its job a new one
    std::int32_t process = 0;  // its number on the host
    std::int32_t at_most = 0;  // ranks that may share a host; 0: any number
};

/// Equal for processes that run on the same kernel for the same user, and see the same sockets and
/// the same process numbers. A process in a container of its own may not.
inline std::uint64_t host_of_this_process() {
    std::array<char, 256> text{};
    std::string all = text_of(::geteuid());
    for (auto const* const name : {"/proc/self/ns/net", "/proc/self/ns/pid"}) {
        auto const n = ::readlink(name, text.data(), text.size());
        all.append(text.data(), static_cast<std::size_t>(std::max<::ssize_t>(n, 0)));
    }
    return hash_text(all.append(name_of_machine().data()));
}

inline host_identity host_identity_of_this_process() {
    auto const moment = steady::now().time_since_epoch().count();
    auto const at_most = std::max(0, environment_number("COLLECTIVES_RANKS_PER_HOST"));
    return {host_of_this_process(), static_cast<std::uint64_t>(moment), ::getpid(), at_most};
}

/// The number of each rank's host: that of the first rank there.
inline std::vector<int> hosts_of(std::vector<host_identity> const& identities) {
    std::vector<int> hosts;
    for (std::size_t r = 0; r < identities.size(); ++r) {
        if (identities[r].at_most != identities[0].at_most) {
            throw_error<usage_error>("COLLECTIVES_RANKS_PER_HOST differs: rank 0 has ",
                                     identities[0].at_most, ", rank ", r, " has ",
                                     identities[r].at_most);
        }
        auto const part = [&](std::size_t i) {
            return identities[0].at_most == 0 ? 0
                                              : i / static_cast<std::size_t>(identities[0].at_most);
        };
        std::size_t first = 0;
        while (identities[first].host != identities[r].host || part(first) != part(r)) { ++first; }
        hosts.push_back(static_cast<int>(first));
    }
    return hosts;
}

}  // namespace collectives::detail
