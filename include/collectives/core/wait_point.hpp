// SPDX-License-Identifier: BSD-3-Clause
// Where a rank waits, in a form that ranks can tell each other.
#pragma once

#include <collectives/core/types.hpp>

#include <array>
#include <cstdint>

namespace collectives::inline v0 {

/// The call in which a rank waits, the round of the algorithm, and the peer that it waits for.
/// Trivially copyable, so that it can stand in shared memory or travel in a message.
struct wait_point {
    std::uint64_t sequence = 0;  // of the call; 0: the rank does not wait
    std::int32_t round = -1;     // -1: of no round
    rank_t peer = -1;            // -1: for no rank in particular
    collective what{};
    std::array<std::uint8_t, 7> padding{};

    /// Whether the call is a send or a receive. Those are numbered apart.
    bool is_pair() const { return what == collective::send || what == collective::recv; }
    bool is_in_call_of(wait_point const& other) const {
        return sequence == other.sequence && what == other.what;
    }
    /// The same as a peer may write it in a job of `size` ranks; else that the rank does not wait.
    wait_point checked(int size) const { return peer < size ? *this : wait_point{}; }
};

/// What has become of a question where all ranks wait.
enum class inquiry_state : std::uint8_t {
    open,      // some have not answered; perhaps they are not inside the library
    answered,  // all have answered
    yielded,   // a lower rank asks too: it will report the failure
};

}  // namespace collectives
