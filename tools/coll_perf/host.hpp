// SPDX-License-Identifier: BSD-3-Clause
// Where and when something was measured.
#pragma once

#include <string>

namespace coll_perf {

struct host_facts {
    std::string host, cpu, compiler, version;
    int cores = 0;  ///< that this process may use
};
host_facts const& this_host();

/// Processes that wanted to run in the last minute, on average.
double load_now();

/// The time now, as 2030-01-31T23:59:59Z.
std::string date_now();

}  // namespace coll_perf
