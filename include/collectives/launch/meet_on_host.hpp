// SPDX-License-Identifier: BSD-3-Clause
// Connects the ranks of a communicator that share a host.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/communicator/core.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/launch/host_identity.hpp>
#include <collectives/launch/local_job.hpp>
#include <collectives/transport/shm.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace collectives::inline v0::detail {

/// Where each rank runs. Collective.
inline std::vector<host_identity> identities_of(communicator& comm, options const& how = {}) {
    auto const mine = host_identity_of_this_process();
    std::vector<host_identity> all(static_cast<std::size_t>(comm.size()));
    comm.all_gather(std::span(&mine, 1), all, how);
    return all;
}

/// The transport of this rank among `ranks` of the job, which share its host. Throws as shm::join
/// does; a timeout_error names the missing ranks by their numbers in the job.
inline shared_pointer<shm::transport> meet_ranks(std::vector<int> const& ranks, rank_t me,
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
inline shared_pointer<shm::transport> meet_on_host(communicator& comm,
                                                   std::vector<host_identity> const& identities,
                                                   std::vector<int> const& hosts, timeout time) {
    auto const here = hosts[static_cast<std::size_t>(comm.rank())];
    std::vector<int> beside;
    for (std::size_t r = 0; r < hosts.size(); ++r) {
        if (hosts[r] == here) { beside.push_back(static_cast<int>(r)); }
    }
    auto const& group = core_of(comm)->engine().group();  // the bridge counts by ranks of the job
    std::sort(beside.begin(), beside.end(),
              [&](int a, int b) { return group.job_rank(a) < group.job_rank(b); });
    auto const& first = identities[static_cast<std::size_t>(here)];
    auto const name =
        text_of("collectives-", ::geteuid(), "-host-", first.process, "-", first.moment);
    try {
        return meet_ranks(beside, comm.rank(), name, time.deadline(steady::now()));
    } catch (error const&) {
        auto& engine = core_of(comm)->engine();
        auto const lock = engine.lock();
        engine.break_by_exception([] { return std::string("the meeting on a host"); });
        throw;
    }
}

}  // namespace collectives::detail
