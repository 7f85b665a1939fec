// SPDX-License-Identifier: BSD-3-Clause
// How the ranks of a group meet: they exchange cards in torch's store. Ranks that are in one job
// already go on with it. Else rank 0 makes memory and hands it to the others, where all are on its
// host; ranks on several hosts connect over UCX.
#pragma once

#include "hosts.hpp"
#include "pool_limit.hpp"
#include "seats.hpp"
#include "store.hpp"

#include <collectives/communicator.hpp>
#include <collectives/communicator/core.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/core/text.hpp>
#include <collectives/launch/host_identity.hpp>
#include <collectives/launch/local_job.hpp>
#include <collectives/transport/model.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace collectives_torch {

namespace coll = collectives;
using coll::detail::core_pointer;

/// A number of the sources of which this package was made.
inline std::uint64_t version_of_this_package = 0;

/// What a rank tells the others of its group.
struct card {
    std::uint64_t version = version_of_this_package;
    coll::detail::host_identity host;
    std::uint64_t random = 0;         ///< differs from process to process and from group to group
    seat_number in_memory, on_hosts;  ///< of its oldest seats
    bool takes_ucx = false;           ///< between hosts
    std::array<char, 160> fault{};    ///< what is wrong in its environment; else empty
};

inline std::uint64_t random_number() {
    std::random_device source;
    return (std::uint64_t{source()} << 32 | source()) | 1;
}

/// Whether this process goes over UCX where ranks are on several hosts.
inline bool takes_ucx() {
    auto const* const given = std::getenv("COLLECTIVES_TORCH_BETWEEN_HOSTS");
    std::string_view const way = given == nullptr ? "" : given;
    if (way != "" && way != "ucx" && way != "gloo") {
        throw coll::usage_error(coll::text_of("COLLECTIVES_TORCH_BETWEEN_HOSTS is '",
                                              std::string(way), "', not ucx or gloo"));
    }
    if (way == "ucx" && !has_ucx()) {
        throw coll::usage_error(
            "COLLECTIVES_TORCH_BETWEEN_HOSTS is ucx, but the package was built without UCX");
    }
    return has_ucx() && way != "gloo";
}

/// What this process tells its group of itself and its oldest seats. A fault in its environment
/// goes with it, so that all ranks hear of it, and none waits for this one.
inline card card_of(seat const* in_memory, seat const* on_hosts) {
    card mine;
    mine.host = coll::detail::host_identity_of_this_process();
    mine.random = random_number();
    if (in_memory != nullptr) { mine.in_memory = in_memory->number; }
    if (on_hosts != nullptr) { mine.on_hosts = on_hosts->number; }
    try {
        mine.takes_ucx = takes_ucx();
        static_cast<void>(given_pool_limit());
    } catch (coll::usage_error const& e) {
        std::string_view(e.what()).copy(mine.fault.data(), mine.fault.size() - 1);
    }
    return mine;
}
inline void require_no_fault(std::vector<card> const& cards) {
    for (std::size_t r = 0; r < cards.size(); ++r) {
        if (cards[r].version != cards[0].version) {
            throw coll::usage_error(coll::text_of(
                "rank ", r, " has another version of the package collectives than rank 0"));
        }
        if (cards[r].fault.front() == 0) { continue; }
        throw coll::usage_error(coll::text_of("rank ", r, ": ", cards[r].fault.data()));
    }
}

inline std::vector<int> hosts_of(std::vector<card> const& cards) {
    std::vector<coll::detail::host_identity> identities;
    for (auto const& one : cards) { identities.push_back(one.host); }
    return coll::detail::hosts_of(identities);
}

/// Where a group has come together.
struct place {
    std::shared_ptr<seat> at;
    core_pointer core;
};

/// Rank 0 makes memory for this group, and the others get it.
inline place meet(std::vector<card> const& cards, int rank, coll::steady::time_point until) {
    namespace shm = coll::shm::detail;
    auto const& first = cards.front();
    auto const name = coll::text_of("collectives-", ::geteuid(), "-torch-", first.host.process, "-",
                                    first.random);
    coll::job_place const me{rank, static_cast<int>(cards.size()), {}};
    auto const member = std::make_shared<shm::membership>(
        rank == 0 ? shm::create_job(me, name, until) : shm::enter_job(me, name, until), rank);
    coll::communicator const all(coll::erase(member->memory.rank(rank, member, true)));
    auto& core = *core_of(all);
    return {seats::of_this_process().add({first.random, rank}, core, member), core_of(all)};
}

/// The ranks of this group, which are on several hosts, connect.
inline place meet_over_hosts(group_store& store, std::vector<card> const& cards,
                             coll::steady::time_point until) {
    int turn = 0;
    auto const gather = [&](std::span<std::byte const> mine, coll::steady::time_point end) {
        return store.exchange_bytes(coll::text_of("address ", ++turn), mine, end);
    };
    auto const all = connect_hosts(store.rank(), store.size(), gather, until);
    seat_number const number{cards.front().random, store.rank()};
    return {seats::of_this_process().add(number, *core_of(all), nullptr), core_of(all)};
}

/// Where in the job's memory a group's board is, and what tells its messages apart.
struct board_place {
    std::uint64_t where = 0, context = 0;
};

/// The group's ranks are in one job already: its rank 0 makes no more than a board there.
inline place join_seats(std::shared_ptr<seat> const& at, group_store& store,
                        std::vector<card> const& cards) {
    coll::lean_vector<coll::rank_t> members;
    for (auto const& one : cards) {
        members.push_back((at->spans_hosts ? one.on_hosts : one.in_memory).rank);
    }
    auto const rank = store.rank();
    board_place board{0, cards.front().random & ~coll::generation_bits};
    if (rank != 0) { board = store.given<board_place>("board"); }
    auto const held = at->shared->work->lock->take();
    auto made = at->shared->carrier->make_board(members, rank, [&](std::uint64_t where) {
        if (rank == 0) {
            board.where = where;
            store.give("board", board);
        }
        return board.where;
    });
    auto core = coll::make_shared_object<coll::detail::communicator_core>(
        at->shared, std::move(made), coll::detail::rank_group(std::move(members), rank),
        board.context, at->prices);
    return {at, std::move(core)};
}

/// Whether all ranks are in one job, each in a seat of its own.
inline bool share_a_job(std::vector<card> const& cards, seat_number card::*of) {
    for (std::size_t i = 0; i < cards.size(); ++i) {
        auto const& its = cards[i].*of;
        if (its.job == 0 || its.job != (cards[0].*of).job) { return false; }
        for (std::size_t j = 0; j < i; ++j) {
            if ((cards[j].*of).rank == its.rank) { return false; }
        }
    }
    return true;
}

/// Lets the ranks of a group come together; no place where they are on several hosts and not all of
/// them go over UCX. Collective.
inline place come_together(group_store& store, std::chrono::milliseconds time) {
    auto const until = coll::steady::now() + time;
    auto const in_memory = seats::of_this_process().first(false);
    auto const on_hosts = seats::of_this_process().first(true);
    auto const cards = store.exchange("card", card_of(in_memory.get(), on_hosts.get()), until);
    require_no_fault(cards);
    auto const hosts = hosts_of(cards);
    if (std::all_of(hosts.begin(), hosts.end(), [](int h) { return h == 0; })) {
        if (share_a_job(cards, &card::in_memory)) { return join_seats(in_memory, store, cards); }
        return meet(cards, store.rank(), until);
    }
    auto const over_ucx = [](card const& its) { return its.takes_ucx; };
    if (!std::all_of(cards.begin(), cards.end(), over_ucx)) { return {}; }
    if (share_a_job(cards, &card::on_hosts)) { return join_seats(on_hosts, store, cards); }
    return meet_over_hosts(store, cards, until);
}

}  // namespace collectives_torch
