// SPDX-License-Identifier: BSD-3-Clause
// Where the ranks of a launcher's job meet before a sample.
#pragma once

#include "launch.hpp"
#include "order.hpp"
#include "ranks/message_board.hpp"

#include <collectives/communicator.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <random>

namespace coll_perf {

/// Where the ranks of a communicator meet: in memory of rank 0's, if all can map it.
class job_meeting {
public:
    /// Collective.
    job_meeting(coll::communicator& comm, settings const& how, bool memory, bool core_per_rank) {
        std::array<std::uint64_t, 1> all{core_per_rank ? 1U : 0U};
        comm.all_reduce(all, coll::min{});
        core_per_rank = all[0] != 0;
        if (memory) { share(comm, how, core_per_rank); }
        if (!board_) { messages_.emplace(comm, how.iterations, core_per_rank); }
    }
    bool in_memory() const { return board_.has_value(); }
    bool core_per_rank() const {
        return board_ ? board_->core_per_rank() : messages_->core_per_rank();
    }
    /// Calls `work` with the board.
    void on(auto const& work) { board_ ? work(*board_) : work(*messages_); }

private:
    /// A word that nobody guesses shows that it is rank 0's memory.
    void share(coll::communicator& comm, settings const& how, bool core_per_rank) {
        struct where {
            std::array<char, 64> path{};
            std::uint64_t word = 0;
        } its;
        if (comm.rank() == 0) {
            place_.emplace(how.ranks, how.iterations);
            place_->path().copy(its.path.data(), its.path.size() - 1);
            its.word = std::random_device{}() | 1U;
            *static_cast<std::uint64_t*>(place_->memory()) = its.word;
        }
        std::array<where, 1> one{its};
        comm.broadcast(one, 0);
        auto const bytes = board::bytes_for(how.ranks, how.iterations);
        auto* const memory = order::map_board(one[0].path.data(), bytes);
        bool const same = memory != nullptr && *static_cast<std::uint64_t*>(memory) == one[0].word;
        std::array<std::uint64_t, 1> all{same ? 1U : 0U};
        comm.all_reduce(all, coll::min{});
        if (comm.rank() == 0) { *static_cast<std::uint64_t*>(place_->memory()) = 0; }
        comm.barrier();
        if (all[0] != 0) { board_.emplace(memory, how.ranks, how.iterations, core_per_rank); }
    }

    std::optional<meeting_place> place_;  // rank 0's
    std::optional<board> board_;
    std::optional<message_board> messages_;
};

}  // namespace coll_perf
