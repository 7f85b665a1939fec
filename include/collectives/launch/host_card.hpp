// SPDX-License-Identifier: BSD-3-Clause
// Finds the ranks of a communicator that share a host, and connects them there.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/communicator/core.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/launch/environment.hpp>
#include <collectives/launch/local_job.hpp>
#include <collectives/transport/shm.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace collectives::inline v0 {

namespace detail {

/// Where a rank runs, for the other ranks.
struct host_card {
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
    if (auto* const file = std::fopen("/proc/sys/kernel/random/boot_id", "r")) {
        all.append(text.data(), std::fread(text.data(), 1, text.size(), file));
        std::fclose(file);
    } else {
        ::gethostname(text.data(), text.size() - 1);
        all.append(text.data());
    }
    return hash_text(all);
}

inline host_card host_card_of_this_process() {
    auto const moment = steady::now().time_since_epoch().count();
    auto const at_most = environment_number("COLLECTIVES_RANKS_PER_HOST").value_or(0);
    return {host_of_this_process(), static_cast<std::uint64_t>(moment), ::getpid(), at_most};
}

/// The number of each rank's host: that of the first rank there.
inline std::vector<int> hosts_of(std::vector<host_card> const& cards) {
    std::vector<int> hosts;
    for (std::size_t r = 0; r < cards.size(); ++r) {
        if (cards[r].at_most != cards[0].at_most) {
            throw_error<usage_error>("COLLECTIVES_RANKS_PER_HOST differs: rank 0 has ",
                                     cards[0].at_most, ", rank ", r, " has ", cards[r].at_most);
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

/// The transport of this rank among `ranks` of the job, which share its host. Throws as shm::join
/// does; a timeout_error names the missing ranks by their numbers in the job.
inline std::shared_ptr<shm::transport> meet_ranks(std::vector<int> const& ranks, rank_t me,
                                                  std::string const& name,
                                                  steady::time_point until) {
    auto const place = std::find(ranks.begin(), ranks.end(), me) - ranks.begin();
    try {
        return shm::detail::take_part({static_cast<int>(place), static_cast<int>(ranks.size()), {}},
                                      name, until);
    } catch (timeout_error const& e) {
        std::vector<int> missing;
        for (auto const r : e.missing()) { missing.push_back(ranks[static_cast<std::size_t>(r)]); }
        std::string_view const said(e.what());
        throw missing_ranks_error(me, "meeting on its host", std::move(missing),
                                  said.substr(std::min(said.find(';'), said.size())));
    }
}

/// The transport of this rank among the ranks of its host. Collective. An error on one rank is an
/// error on all ranks of `comm`.
inline std::shared_ptr<shm::transport> meet_on_host(communicator& comm,
                                                    std::vector<host_card> const& cards,
                                                    std::vector<int> const& hosts, timeout time) {
    auto const here = hosts[static_cast<std::size_t>(comm.rank())];
    std::vector<int> beside;
    for (std::size_t r = 0; r < hosts.size(); ++r) {
        if (hosts[r] == here) { beside.push_back(static_cast<int>(r)); }
    }
    auto const& group = comm.core()->engine().group();  // the bridge counts by ranks of the job
    std::sort(beside.begin(), beside.end(),
              [&](int a, int b) { return group.job_rank(a) < group.job_rank(b); });
    auto const& first = cards[static_cast<std::size_t>(here)];
    auto const name =
        text_of("collectives-", ::geteuid(), "-host-", first.process, "-", first.moment);
    try {
        return meet_ranks(beside, comm.rank(), name, time.deadline(steady::now()));
    } catch (error const&) {
        auto& engine = comm.core()->engine();
        auto const lock = engine.lock();
        engine.break_by_exception([] { return std::string("the meeting on a host"); });
        throw;
    }
}

}  // namespace detail

}  // namespace collectives
