// SPDX-License-Identifier: BSD-3-Clause
// The transports that are measured.
#pragma once

#include "ranks.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace coll_perf {

/// Starts `ranks` ranks in this process or as its children, and calls each with itself; returns
/// when all have ended.
struct carrier {
    std::string_view name;
    void (*run)(int ranks, rank_body const& body);
};

std::vector<carrier> const& transports();

/// Its place in `transports`; an unknown name is a usage_error that lists them.
std::size_t find_transport(std::string_view name);

/// Makes this process, which a launcher has started, a rank of a job over this transport, and calls
/// it with itself: shm, ucx, hosts (UCX between hosts, memory within), mpi-MPI, hosts-MPI.
/// `background`: threads of the library's call the transport, too.
void join_over(std::string const& transport, rank_body const& body, bool background);

}  // namespace coll_perf
