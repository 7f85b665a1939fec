// SPDX-License-Identifier: BSD-3-Clause
// The transports that are measured. One more is a way to start its ranks in transports.cpp.
#pragma once

#include "ranks.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace coll_perf {

/// Starts `ranks` ranks and calls each with itself; returns when all have ended.
struct carrier {
    std::string_view name;
    void (*run)(int ranks, rank_body const& body);
};

std::vector<carrier> const& transports();

/// Its place in `transports`; an unknown name is a usage_error that lists them.
std::size_t find_transport(std::string_view name);

}  // namespace coll_perf
