// SPDX-License-Identifier: BSD-3-Clause
// Calls whose steps were recorded, beside those that were measured.
#pragma once

#include "job.hpp"

#include <collectives/schedule/trace_event.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace coll_perf {

/// The events of all ranks in one call.
struct traced_call {
    std::size_t index = 0;  ///< which of the launch's cases
    std::vector<collectives::trace_event> events;
};

/// One line, without its end.
std::string as_text(traced_call const& call);
/// False where a line is no traced call.
bool read_traced(std::string const& line, traced_call& call);

/// Traced calls, one behind the other.
class traces {
public:
    /// `took` is the median of those that were measured, in nanoseconds; 0: there is none.
    void add(traced_call call, std::string const& transport, measured_case const& what,
             double took);

    std::size_t calls() const { return names_.size(); }
    std::size_t events() const { return events_.size(); }
    /// How many times as long as the measured ones the traced calls took: the median of it.
    double cost() const;
    /// For Perfetto: a process per rank.
    std::string as_chrome_trace() const;

private:
    std::vector<std::string> names_;
    std::vector<collectives::trace_event> events_;
    std::vector<double> costs_;
    std::int64_t end_ns_ = 0;
};

}  // namespace coll_perf
