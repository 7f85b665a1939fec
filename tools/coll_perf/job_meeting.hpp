// SPDX-License-Identifier: BSD-3-Clause
// Where the ranks of a launcher's job meet before a sample.
#pragma once

#include "ranks/message_board.hpp"
#include "sample_board.hpp"
#include "shared_place.hpp"

#include <collectives/communicator.hpp>

#include <array>
#include <cstdint>
#include <optional>

namespace coll_perf {

/// Where the ranks of a communicator meet: in memory of rank 0's, if all can map it.
class job_meeting {
public:
    /// Collective.
    job_meeting(coll::communicator& comm, settings const& how, bool memory, bool core_per_rank) {
        std::array<std::uint64_t, 1> all{core_per_rank ? 1U : 0U};
        comm.all_reduce(all, coll::min{});
        core_per_rank = all[0] != 0;
        if (memory) {
            place_.emplace(comm, board::bytes_for(how.ranks, how.iterations));
            if (auto* const at = place_->memory()) {
                board_.emplace(at, how.ranks, how.iterations, core_per_rank);
            }
        }
        if (!board_) { messages_.emplace(comm, how.iterations, core_per_rank); }
    }
    bool in_memory() const { return board_.has_value(); }
    bool core_per_rank() const {
        return board_ ? board_->core_per_rank() : messages_->core_per_rank();
    }
    /// Calls `work` with the board.
    void on(auto const& work) { board_ ? work(*board_) : work(*messages_); }

private:
    std::optional<shared_place> place_;
    std::optional<board> board_;
    std::optional<message_board> messages_;
};

}  // namespace coll_perf
