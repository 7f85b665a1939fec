// SPDX-License-Identifier: BSD-3-Clause
// The results of the cost model.
#pragma once

#include <cstdint>
#include <vector>

namespace collectives::inline v0 {

/// Bytes one rank sends, receives, and adds to what it has.
struct traffic {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t reduced = 0;
    friend constexpr bool operator==(traffic const&, traffic const&) = default;
};

/// What a collective costs. With times a per round, b per byte and g per added byte, a network
/// whose ranks send and receive at once needs rounds a + critical.bytes b + critical.reduced g.
struct cost {
    /// Summed over the rounds: what the busiest rank of each round sends or receives, and adds.
    struct path {
        std::uint64_t bytes = 0;
        std::uint64_t reduced = 0;
    };
    /// No algorithm needs less, at the busiest rank; the rounds are of one message per rank each.
    struct lower_bound {
        int rounds = 0;
        std::uint64_t sent = 0;
        std::uint64_t reduced = 0;
    };
    /// Cost divided by the lower bound, at the busiest rank: 1 is optimal, also if there is nothing
    /// to do. An algorithm that sends many messages in a round may have fewer rounds than the
    /// bound.
    struct ratios {
        double rounds = 1;
        double sent = 1;
        double reduced = 1;
    };

    int rounds = 0;
    traffic busiest;  ///< each of the three at the rank that has most of it
    std::vector<traffic> ranks;
    std::uint64_t total = 0;  ///< bytes sent by all ranks together
    path critical;
    lower_bound bound;
    ratios ratio;
};

}  // namespace collectives
