// SPDX-License-Identifier: BSD-3-Clause
// Lets the ranks of a communicator that share a host talk to each other through its memory.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/core/text.hpp>
#include <collectives/launch/environment.hpp>
#include <collectives/launch/join.hpp>
#include <collectives/transport/bridged.hpp>
#include <collectives/transport/shm.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace collectives {

namespace detail {

/// What a rank tells the others of where it is.
struct host_card {
    std::uint64_t host = 0;    // equal for processes that can meet
    std::uint64_t moment = 0;  // makes the name of its job a new one
    std::int32_t process = 0;  // its number on the host
    std::int32_t at_most = 0;  // ranks that may share a host; 0: any number
};

/// Processes meet that run on the same kernel for the same user, and see the same sockets and the
/// same process numbers: in a container of its own a process may not.
template <class = void>
std::uint64_t host_of_this_process() {
    std::array<char, 256> text{};
    std::string all = text_of(::geteuid());
    for (auto const* const name : {"/proc/self/ns/net", "/proc/self/ns/pid"}) {
        auto const n = ::readlink(name, text.data(), text.size());
        all.append(text.data(), static_cast<std::size_t>(std::max<::ssize_t>(n, 0)));
    }
    if (auto* const file = std::fopen("/proc/sys/kernel/random/boot_id", "r")) {
        all.append(text.data(), std::fread(text.data(), 1, text.size(), file));
        std::fclose(file);
    } else {
        ::gethostname(text.data(), text.size() - 1);
        all.append(text.data());
    }
    return hash_text(all);
}

template <class = void>
host_card host_card_of_this_process() {
    auto const moment = steady::now().time_since_epoch().count();
    auto const at_most = environment_number("COLLECTIVES_RANKS_PER_HOST").value_or(0);
    return {host_of_this_process(), static_cast<std::uint64_t>(moment), ::getpid(), at_most};
}

/// The number of each rank's host: that of the first rank there.
template <class = void>
std::vector<int> hosts_of(std::vector<host_card> const& cards) {
    std::vector<int> hosts;
    for (std::size_t r = 0; r < cards.size(); ++r) {
        if (cards[r].at_most != cards[0].at_most) {
            throw usage_error(text_of("COLLECTIVES_RANKS_PER_HOST differs: rank 0 has ",
                                      cards[0].at_most, ", rank ", r, " has ", cards[r].at_most));
        }
        auto const part = [&](std::size_t i) {
            return cards[0].at_most == 0 ? 0 : i / static_cast<std::size_t>(cards[0].at_most);
        };
        std::size_t first = 0;
        while (cards[first].host != cards[r].host || part(first) != part(r)) { ++first; }
        hosts.push_back(static_cast<int>(first));
    }
    return hosts;
}

/// What this rank works with among the ranks of its host. Collective.
template <transport Between>
std::shared_ptr<shm::transport> meet_on_host(communicator<Between>& comm,
                                             std::vector<host_card> const& cards,
                                             std::vector<int> const& hosts, timeout time) {
    auto const here = hosts[static_cast<std::size_t>(comm.rank())];
    auto const count = [&](auto end) {
        return static_cast<int>(std::count(hosts.begin(), hosts.begin() + end, here));
    };
    auto const& first = cards[static_cast<std::size_t>(here)];
    auto const name =
        text_of("collectives-", ::geteuid(), "-host-", first.process, "-", first.moment);
    try {
        return shm::detail::take_part({count(comm.rank()), count(comm.size()), {}}, name,
                                      time.deadline(steady::now()));
    } catch (error const& e) {
        comm.abort(e.what());
        throw;
    }
}

}  // namespace detail

/// The same ranks; those that share a host exchange messages through its memory from now on, others
/// as before, and `automatic` knows of the hosts. Collective. COLLECTIVES_RANKS_PER_HOST=2 lets
/// only ranks 0 and 1, 2 and 3, ... share a host, as if there were more of them.
///
/// Throws usage_error where that variable differs between ranks, timeout_error or transport_error
/// where ranks of a host do not meet; on all ranks.
template <transport Between>
communicator<bridged_transport<shm::transport, Between>> bridge_hosts(communicator<Between>& comm,
                                                                      timeout time = {}) {
    auto const mine = detail::host_card_of_this_process();
    std::vector<detail::host_card> cards(static_cast<std::size_t>(comm.size()));
    comm.all_gather(std::span(&mine, 1), cards, {.timeout = time});
    auto hosts = detail::hosts_of(cards);
    auto inside = detail::meet_on_host(comm, cards, hosts, time);
    return comm.with([&](std::shared_ptr<Between> between) {
        return std::make_shared<bridged_transport<shm::transport, Between>>(
            std::move(between), std::move(inside), std::move(hosts));
    });
}

}  // namespace collectives
