// SPDX-License-Identifier: BSD-3-Clause
#include "transports.hpp"

#include "../peers.hpp"

#include <collectives/core/error.hpp>
#include <collectives/launch/shm.hpp>
#include <collectives/launch/threads.hpp>

#include <string>

namespace coll_perf {

std::vector<carrier> const& transports() {
    static std::vector<carrier> const list{
        {"threads", [](int ranks, rank_body const& body) { coll::threads::run(ranks, body); }},
        {"shm", [](int ranks, rank_body const& body) { coll::shm::run(ranks, body); }},
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

}  // namespace coll_perf
