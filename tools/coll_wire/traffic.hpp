// SPDX-License-Identifier: BSD-3-Clause
// Bytes on links: those counted from the steps against those that the kernel counted.
#pragma once

#include "measure.hpp"

#include <vector>

namespace coll_wire {

struct link_bytes {
    double sent = 0, received = 0;  // by a host, in one all-reduce
};

/// Puts the link and direction that differs most into `a`. `wired` has one for each host.
void find_worst_link(answer& a, std::vector<link_bytes> const& wired);

}  // namespace coll_wire
