// SPDX-License-Identifier: BSD-3-Clause
// Bytes on links: those counted from the steps against those that the kernel counted.
#pragma once

#include "measure.hpp"
#include "network.hpp"

#include <cstdint>
#include <vector>

namespace coll_wire {

struct link_bytes {
    double sent = 0, received = 0;  // by a host, in one all-reduce
    double sent_payload = 0, received_payload = 0;

    /// Of one of so many calls between two counts.
    static link_bytes of(link_count const& before, link_count const& after, int calls) {
        auto const each = [&](std::uint64_t link_count::*which) {
            return static_cast<double>(after.*which - before.*which) / calls;
        };
        return {each(&link_count::sent), each(&link_count::received),
                each(&link_count::sent_payload), each(&link_count::received_payload)};
    }
};

/// Puts the link and direction that differs most into `a`. `wired` has one for each host.
void find_worst_link(answer& a, std::vector<link_bytes> const& wired);

}  // namespace coll_wire
