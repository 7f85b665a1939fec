// SPDX-License-Identifier: BSD-3-Clause
// The results of the cost model.
#pragma once

#include <collectives/core/lean_list.hpp>

#include <cstdint>

namespace collectives::inline v0 {

/// Bytes one rank sends, receives, and adds to what it has.
struct traffic {
    std::uint64_t sent = 0;      ///< bytes
    std::uint64_t received = 0;  ///< bytes
    std::uint64_t reduced = 0;   ///< bytes added to what the rank has
    friend constexpr bool operator==(traffic const&, traffic const&) = default;
};

/// What a collective costs. With times a per round, b per byte and g per added byte, a network
/// whose ranks send and receive at once needs rounds a + critical.bytes b + critical.reduced g.
struct cost {
    /// Summed over the rounds: what the busiest rank of each round sends or receives, and adds.
    struct path {
        std::uint64_t bytes = 0;    ///< sent or received, whichever is more
        std::uint64_t reduced = 0;  ///< bytes added
    };
    /// No algorithm needs less, at the busiest rank; the rounds are of one message per rank each.
    struct lower_bound {
        int rounds = 0;             ///< log2 of the ranks, rounded up
        std::uint64_t sent = 0;     ///< bytes that the busiest rank sends
        std::uint64_t reduced = 0;  ///< bytes that the busiest rank adds
    };
    /// Cost divided by the lower bound, at the busiest rank: 1 is optimal, also if there is nothing
    /// to do. An algorithm that sends many messages in a round may have fewer rounds than the
    /// bound.
    struct ratios {
        double rounds = 1;   ///< of rounds
        double sent = 1;     ///< of bytes sent
        double reduced = 1;  ///< of bytes added
    };

    int rounds = 0;            ///< of the whole collective
    traffic busiest;           ///< each of the three at the rank that has most of it
    lean_list<traffic> ranks;  ///< in rank order
    std::uint64_t total = 0;   ///< bytes sent by all ranks together
    path critical;             ///< what the rounds cost one after the other
    lower_bound bound;         ///< what no algorithm can be below
    ratios ratio;              ///< how far this one is above
};

}  // namespace collectives
