// SPDX-License-Identifier: BSD-3-Clause
#include "transports.hpp"

#include "../../launched/launched.hpp"
#include "../peers.hpp"

#include <collectives/core/error.hpp>
#include <collectives/launch/join.hpp>
#include <collectives/launch/shm.hpp>
#include <collectives/launch/threads.hpp>

#include <chrono>
#include <functional>
#include <string>

namespace coll_perf {
namespace {

/// `body` on a rank that knows when its making began: now.
std::function<void(coll::communicator&)> timed(rank_body const& body) {
    return [&body, start = std::chrono::steady_clock::now()](coll::communicator& comm) {
        std::chrono::duration<double> const took = std::chrono::steady_clock::now() - start;
        body({comm, took.count()});
    };
}

}  // namespace

std::vector<carrier> const& transports() {
    static std::vector<carrier> const list{
        {"threads",
         [](int ranks, rank_body const& body) { coll::threads::run(ranks, timed(body)); }},
        {"shm", [](int ranks, rank_body const& body) { coll::shm::run(ranks, timed(body)); }},
    };
    return list;
}

std::size_t find_transport(std::string_view name) {
    std::string names;
    for (std::size_t i = 0; i < transports().size(); ++i) {
        if (transports()[i].name == name) { return i; }
        names.append(names.empty() ? "" : ", ").append(transports()[i].name);
    }
    for (auto const name_of_launched : launched_transports) {
        names.append(", ").append(name_of_launched);
    }
    throw coll::usage_error("there is no transport \"" + std::string(name) +
                            "\"; the transports are " + names);
}

void join_over(std::string const& transport, rank_body const& body, bool background) {
    bool const bridged = transport.starts_with("hosts");
    auto const with_time = timed(body);
    if (transport == "shm") {
        auto comm = coll::shm::join();
        with_time(comm);
    } else if (transport == "ucx" || transport == "hosts") {
        launched::over_ucx(with_time, bridged);
    } else {
        launched::over_mpi(with_time, bridged, !background);
    }
}

}  // namespace coll_perf
