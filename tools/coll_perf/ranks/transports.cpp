// SPDX-License-Identifier: BSD-3-Clause
#include "transports.hpp"

#include "../peers.hpp"
#include "communicators.hpp"

#include <collectives/core/error.hpp>

#include <utility>

namespace coll_perf {
namespace {

template <std::size_t Transport>
rank_handle handle_of(communicator_at<Transport>& comm) {
    return {comm.rank(), Transport, &comm, [&comm](std::size_t bytes) {
                auto kept = std::make_shared<decltype(comm.template allocate<std::byte>(0))>(
                    comm.template allocate<std::byte>(bytes));
                return std::shared_ptr<std::byte>(kept, kept->data());
            }};
}

}  // namespace

std::vector<carrier> const& transports() {
    static std::vector<carrier> const list{
        {"threads",
         [](int ranks, rank_body const& body) {
             coll::threads::run(ranks, [&](auto& comm) { body(handle_of<0>(comm)); });
         }},
        {"shm",
         [](int ranks, rank_body const& body) {
             coll::shm::run(ranks, [&](auto& comm) { body(handle_of<1>(comm)); });
         }},
    };
    static_assert(std::tuple_size_v<communicators> == 2, "one line for each communicator");
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
