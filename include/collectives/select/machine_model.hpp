// SPDX-License-Identifier: BSD-3-Clause
// What things cost on a machine.
#pragma once

#include <cstddef>

namespace collectives::inline v0 {

/// Prices in seconds. Where each rank has a processor, a round costs what its busiest rank does;
/// where ranks share processors, all that all ranks do is done by those, one rank after the other.
/// What goes from host to host costs the last three besides; the hosts share no links, the ranks of
/// a host one. The defaults are those of cores that share a cache (docs/performance.md; see
/// `tune`), and of links of 100 Gbit/s, where a message is under way for 1.5 us.
struct machine_model {
    double call = 0.1e-6;            // of a call, whatever it does
    double round = 0.15e-6;          // of a round, whatever travels in it
    double message = 0.03e-6;        // of each message a rank receives
    double byte = 0.02e-9;           // of each byte that is moved
    double reduced_byte = 0.003e-9;  // of each byte added, besides
    double small_byte = 0;           // of each byte moved or added of vectors of up to `small`
                                     // bytes, which stay in the nearest cache; 0: as of others
    double shared_call = 0.7e-6;     // call and round, for each rank that shares a processor
    double shared_round = 0.9e-6;
    double link_round = 1.5e-6;    // of a round in which hosts talk to each other
    double link_message = 0.3e-6;  // of each message a rank receives from another host
    double link_byte = 0.08e-9;    // of each byte that leaves a host
    int processors = 0;            // that the ranks share; 0: one for each
    static constexpr std::size_t small = 8 * 1024;
};

}  // namespace collectives
