// SPDX-License-Identifier: BSD-3-Clause
// The prices of a machine.
#pragma once

#include <cstddef>

namespace collectives::inline v0 {

/// Prices in seconds. If each rank has a processor, a round costs what its busiest rank does. If
/// ranks share processors, these do the work of all ranks one after the other. What goes between
/// hosts also costs the last three prices; each host has its own link, which its ranks share. The
/// defaults are those of cores that share a cache (docs/lab/measurements.md; see `tune`), and of
/// links of 100 Gbit/s on which a message takes 1.5 us.
struct machine_model {
    double call = 0.1e-6;            ///< of a call, whatever it does
    double round = 0.15e-6;          ///< of a round, whatever travels in it
    double message = 0.03e-6;        ///< of each message a rank receives
    double byte = 0.02e-9;           ///< of each byte moved
    double reduced_byte = 0.003e-9;  ///< of each byte added, on top of that
    double small_byte = 0;           ///< of each byte moved or added of vectors of up to `small`
                                     ///< bytes, which stay in the nearest cache; 0: as of others
    double shared_call = 0.7e-6;     ///< of a call, for each rank that shares a processor
    double shared_round = 0.9e-6;    ///< of a round, for each such rank
    double link_round = 1.5e-6;      ///< of a round in which hosts talk to each other
    double link_message = 0.3e-6;    ///< of each message a rank receives from another host
    double link_byte = 0.08e-9;      ///< of each byte that leaves a host
    int processors = 0;              ///< that the ranks share; 0: one per rank
    bool in_memory = true;           ///< ranks read each other's memory on the host
    static constexpr std::size_t small = 8 * 1024;  ///< the most bytes that `small_byte` is for

    /// The default prices over MPI and UCX: a round, a message and a byte cost what links take.
    static machine_model of_links() {
        machine_model m;
        m.round = m.link_round;
        m.message = m.link_message;
        m.byte = m.link_byte;
        return m;
    }
};

}  // namespace collectives
