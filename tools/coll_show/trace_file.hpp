// SPDX-License-Identifier: BSD-3-Clause
// Reads a recorded trace: when the steps of one operation really began and ended.
#pragma once

#include "report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace coll_show {

/// One step as it ran. Times are microseconds since the first event of the trace.
struct timed_step {
    coll::rank_t rank = 0;
    int segment = 0;
    coll::step step{};
    std::uint64_t bytes = 0;
    double begin = 0;
    double end = 0;
};

struct recorded_trace {
    std::string path;
    std::int64_t operation = 0;
    std::vector<timed_step> steps;  ///< of that operation, by begin
};

/// Reads what `write_chrome_trace` wrote: operation `operation`, or with -1 the last one that is
/// the collective `what`. std::runtime_error where the file is no such trace, or has no such
/// operation.
recorded_trace read_trace(std::string const& path, coll::collective what, std::int64_t operation);

/// That every chunk of every step of the schedules ran in every segment of the trace, and nothing
/// else did. std::runtime_error names the first difference.
void expect_same(report const& shown, recorded_trace const& trace);

/// Bytes of one rank's vector when the trace was recorded, to the nearest byte that its sends tell.
std::size_t vector_bytes(report const& shown, recorded_trace const& trace);

/// A line per round: when it began and ended, and on which rank it took longest.
std::string times_as_text(recorded_trace const& trace);

}  // namespace coll_show
