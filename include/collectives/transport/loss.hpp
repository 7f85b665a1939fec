// SPDX-License-Identifier: BSD-3-Clause
// Which of a communicator's ranks may go on after a loss.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/progress_lock.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/core/types.hpp>

#include <cstddef>
#include <cstdint>

namespace collectives::inline v0 {

/// More than half of the ranks may go on, or half of them with rank 0. Any two such groups share a
/// rank, so two groups never go on beside each other. `survivors`: ascending ranks.
inline bool may_go_on(lean_vector<rank_t> const& survivors, int size) {
    auto const twice = 2 * survivors.size(), all = static_cast<std::size_t>(size);
    return twice > all || (twice == all && survivors.front() == 0);
}

/// What the survivors of a failure agreed on.
struct loss {
    std::uint64_t context;          // of the communicator that is broken
    lean_vector<rank_t> survivors;  // ranks of the transport, in the order of the communicator
    steady::time_point until;       // survivors that are not heard of until then count as lost
    progress_lock& lock;            // of this rank: others may have it where this thread waits
    bool by_context = false;        // the board is not that of the broken communicator
};

}  // namespace collectives
