// SPDX-License-Identifier: BSD-3-Clause
// This process's seats in jobs, which outlive the groups that use them.
#pragma once

#include <collectives/communicator/core.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/launch/local_job.hpp>
#include <collectives/select/machine_model.hpp>

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

namespace collectives_torch {

namespace coll = collectives;

/// Which seat of which job: ranks that reach each other already.
struct seat_number {
    std::uint64_t job = 0;  ///< 0: none
    std::int32_t rank = 0;
};

/// This process's seat in a job: of ranks that share memory, or of ranks on several hosts. Groups
/// whose ranks are all in one job share it, so that a thousand groups need little more than one.
struct seat {
    seat_number number;
    bool spans_hosts = false;
    coll::shared_pointer<coll::detail::rank_progress> shared;
    coll::machine_model prices;           ///< of all its groups
    std::atomic<int> groups{0};           ///< that use it
    std::atomic<bool> has_failed{false};  ///< a call of one of them, after it had begun
    int ranks = 0;                        ///< of the largest group, where the pool uses it
};

/// All seats of this process that a group or a tensor still uses.
class seats {
public:
    static seats& of_this_process() {
        static auto& all = *new seats;  // never destroyed: `leave` comes later than destructors
        return all;
    }
    /// The oldest of its kind that groups use, as most groups do; null if there is none.
    std::shared_ptr<seat> first(bool spans_hosts) {
        std::lock_guard const lock(mutex_);
        for (auto const& one : seats_) {
            auto found = one.lock();
            auto const is_used = found && found->groups.load() > 0;
            if (is_used && found->spans_hosts == spans_hosts) { return found; }
        }
        return nullptr;
    }
    /// Whether peers reach these bytes.
    bool reach(void const* p, std::size_t bytes) {
        std::lock_guard const lock(mutex_);
        for (auto const& one : seats_) {
            auto const found = one.lock();
            auto* const memory = found ? found->shared->carrier->memory() : nullptr;
            if (memory != nullptr && memory->reach(p, bytes) != 0) { return true; }
        }
        return false;
    }
    /// A new one. `member` is what the ranks of a host share.
    std::shared_ptr<seat> add(seat_number number, coll::detail::communicator_core& core,
                              std::shared_ptr<coll::shm::detail::membership> const& member) {
        auto const made = std::make_shared<seat>();
        made->number = number;
        made->spans_hosts = member == nullptr;
        made->shared = core.engine().shared();
        made->prices = core.planner().model();
        made->shared->work->lock->share();
        std::lock_guard const lock(mutex_);
        std::erase_if(seats_, [](auto const& s) { return s.expired(); });
        std::erase_if(members_, [](auto const& m) { return m.expired(); });
        seats_.push_back(made);
        if (member) { members_.push_back(member); }
        return made;
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

}  // namespace collectives_torch
