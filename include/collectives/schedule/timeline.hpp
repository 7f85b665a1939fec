// SPDX-License-Identifier: BSD-3-Clause
// What a simulation is asked and what it says: the prices of a network, and when each step ran.
#pragma once

#include <collectives/core/types.hpp>

#include <string_view>
#include <vector>

namespace collectives::inline v0 {

/// Prices of a network in seconds, finite and not below 0; and what is out of the ordinary.
struct loggp {
    double latency = 0;   ///< L: from port to port
    double overhead = 0;  ///< o: of the processor, for each message that it sends or receives
    double gap = 0;       ///< g: after a message, until the port takes the next
    double byte = 0;      ///< G: of a byte at a port
    double added = 0;     ///< gamma: of a byte added

    /// A link whose messages take longer, by a factor of L and G.
    struct slow_link {
        rank_t from = 0;    ///< the sender
        rank_t to = 0;      ///< the receiver
        double factor = 1;  ///< at least 1
    };
    std::vector<double> late{};     ///< how late each rank begins; of ranks without one: 0
    std::vector<slow_link> slow{};  ///< factors of a link that is named twice are multiplied
};

/// When all steps ran. Seconds from the moment when ranks that are not late begin.
struct timeline {
    /// When one step ran.
    struct event {
        double begin = 0;  ///< the processor begins to send; or the first byte is taken
        double moves = 0;  ///< the first byte is at this rank's port
        double moved = 0;  ///< the last has passed it
        double end = 0;    ///< the rank is done with it; of a recv_reduce: it is added
        /// The event that this one waited for last: the send of what it receives, or an event of
        /// the same rank; -1: the begin of its rank.
        int waited_for = -1;
        bool critical = false;  ///< on the path of waits that ends with the last rank
    };

    bool ok = true;  ///< or the schedule is wrong, and what follows is not filled in
    std::string_view what = "simulated";  ///< static text; else what is wrong
    rank_t rank = -1;                     ///< the rank where it is wrong
    int round = -1;                       ///< the round where it is wrong

    std::vector<event> events;  ///< one per step, in rank order
    std::vector<int> first;     ///< of each rank the number of its first event; then that of all
    std::vector<double> done;   ///< when each rank ends
    std::vector<int> path;      ///< the critical events, the last one last
    double total = 0;           ///< when the last rank ends
};

}  // namespace collectives
