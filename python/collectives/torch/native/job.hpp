// SPDX-License-Identifier: BSD-3-Clause
// How the ranks of a group meet: they exchange cards in torch's store. Ranks of one host that share
// memory already go on with it; else rank 0 makes some and hands it to the others.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/communicator/core.hpp>
#include <collectives/core/text.hpp>
#include <collectives/launch/host_card.hpp>
#include <collectives/launch/local_job.hpp>
#include <collectives/select/model_text.hpp>
#include <collectives/transport/model.hpp>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

namespace collectives_torch {

namespace coll = collectives;
using coll::detail::core_pointer;

/// This process's seat in a job: ranks of a host that share memory. Groups whose ranks are all in
/// one job share it, so that a thousand groups need little more memory than one.
struct seat {
    std::uint64_t job = 0;
    int rank = 0;
    std::shared_ptr<coll::detail::rank_progress> shared;
};

/// All seats of this process that a group still uses.
class seats {
public:
    static seats& of_this_process() {
        static auto& all = *new seats;  // never destroyed: `leave` comes later than destructors
        return all;
    }
    /// The oldest, that of most groups; null if there is none.
    std::shared_ptr<seat> first() {
        std::lock_guard const lock(mutex_);
        for (auto const& one : seats_) {
            if (auto found = one.lock()) { return found; }
        }
        return nullptr;
    }
    void add(std::shared_ptr<seat> const& one,
             std::shared_ptr<coll::shm::detail::membership> const& member) {
        std::lock_guard const lock(mutex_);
        std::erase_if(seats_, [](auto const& s) { return s.expired(); });
        std::erase_if(members_, [](auto const& m) { return m.expired(); });
        seats_.push_back(one);
        members_.push_back(member);
    }

private:
    seats() { std::atexit(leave); }
    /// Says that this process has left its jobs, so that its end is no loss.
    static void leave() {
        for (auto const& one : of_this_process().members_) {
            auto const member = one.lock();
            if (member && ::getpid() == member->process) {
                member->memory.state().depart(member->rank, coll::shared::life::left, 0);
            }
        }
    }

    std::mutex mutex_;
    std::vector<std::weak_ptr<seat>> seats_;
    std::vector<std::weak_ptr<coll::shm::detail::membership>> members_;
};

/// What a rank tells the others of its group.
struct card {
    coll::detail::host_card host;
    std::uint64_t job = 0;     ///< of its oldest seat; 0: none
    std::uint64_t random = 0;  ///< differs from process to process and from group to group
    std::int32_t job_rank = 0;
};

inline std::uint64_t random_number() {
    std::random_device source;
    return (std::uint64_t{source()} << 32 | source()) | 1;
}

template <class T>
void put(c10d::Store& store, std::string const& key, T const& value) {
    std::vector<std::uint8_t> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    store.set(key, bytes);
}
template <class T>
T take(c10d::Store& store, std::string const& key) {
    auto const bytes = store.get(key);
    TORCH_CHECK(bytes.size() == sizeof(T), "collectives: what the store holds as ", key, " is of ",
                bytes.size(), " bytes, not ", sizeof(T));
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

inline std::string card_key(int rank) { return coll::text_of("card of rank ", rank); }

/// All ranks' cards, by rank. Throws a DistBackendError that names those that did not come.
inline std::vector<card> exchange_cards(c10d::Store& store, card const& mine, int rank, int size,
                                        std::chrono::milliseconds time) {
    put(store, card_key(rank), mine);
    std::vector<std::string> keys;
    for (int r = 0; r < size; ++r) { keys.push_back(card_key(r)); }
    try {
        store.wait(keys, time);
    } catch (std::exception const& e) {
        auto text = coll::text_of("collectives: rank ", rank, " of ", size,
                                  ", making a group: Timed out in the store; missing rank");
        for (int r = 0; r < size; ++r) {
            if (!store.check({keys[static_cast<std::size_t>(r)]})) {
                text += coll::text_of(" ", r);
            }
        }
        C10_THROW_ERROR(DistBackendError, text + "; the store says: " + e.what());
    }
    std::vector<card> cards;
    for (auto const& key : keys) { cards.push_back(take<card>(store, key)); }
    return cards;
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
        rank == 0 ? shm::host(me, name, until) : shm::attend(me, name, until), rank);
    coll::communicator const all(coll::erase(member->memory.rank(rank, member, true)));
    auto const at = std::make_shared<seat>();
    at->job = first.random;
    at->rank = rank;
    at->shared = all.core()->engine().shared();
    at->shared->work->lock->share();
    seats::of_this_process().add(at, member);
    return {at, all.core()};
}

/// Where in the job's memory a group's board is, and what tells its messages apart.
struct board_place {
    std::uint64_t where = 0, context = 0;
};

/// The group's ranks share memory already: its rank 0 makes no more than a board in it.
inline place join_seats(std::shared_ptr<seat> const& at, c10d::Store& store,
                        std::vector<card> const& cards, int rank) {
    coll::lean_vector<coll::rank_t> members;
    for (auto const& one : cards) { members.push_back(one.job_rank); }
    board_place board{0, cards.front().random & ~coll::generation_bits};
    if (rank != 0) { board = take<board_place>(store, "board"); }
    auto const held = at->shared->work->lock->take();
    auto made = at->shared->carrier->make_board(members, rank, [&](std::uint64_t where) {
        if (rank == 0) {
            board.where = where;
            put(store, "board", board);
        }
        return board.where;
    });
    auto core = std::make_shared<coll::detail::communicator_core>(
        at->shared, std::move(made), coll::detail::rank_group(std::move(members), rank),
        board.context, coll::model_of_environment());
    return {at, std::move(core)};
}

/// Whether all ranks are in one job, each in a seat of its own.
inline bool share_a_job(std::vector<card> const& cards) {
    for (std::size_t i = 0; i < cards.size(); ++i) {
        if (cards[i].job == 0 || cards[i].job != cards[0].job) { return false; }
        for (std::size_t j = 0; j < i; ++j) {
            if (cards[j].job_rank == cards[i].job_rank) { return false; }
        }
    }
    return true;
}

/// Lets the ranks of a group come together; no place where they do not share a host. Collective.
inline place come_together(c10d::Store& store, int rank, int size, std::chrono::milliseconds time) {
    auto const until = coll::steady::now() + time;
    auto const at = seats::of_this_process().first();
    card mine{coll::detail::host_card_of_this_process(), 0, random_number(), 0};
    if (at) {
        mine.job = at->job;
        mine.job_rank = at->rank;
    }
    auto const cards = exchange_cards(store, mine, rank, size, time);
    std::vector<coll::detail::host_card> host_cards;
    for (auto const& one : cards) { host_cards.push_back(one.host); }
    for (auto const host : coll::detail::hosts_of(host_cards)) {
        if (host != 0) { return {}; }
    }
    if (share_a_job(cards)) { return join_seats(at, store, cards, rank); }
    return meet(cards, rank, until);
}

}  // namespace collectives_torch
