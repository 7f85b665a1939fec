// SPDX-License-Identifier: BSD-3-Clause
// Records the messages of one call, which is not one of those that are measured.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/schedule/trace_event.hpp>
#include <collectives/transport/traced.hpp>

#include <functional>
#include <optional>
#include <vector>

namespace coll_perf {

namespace coll = collectives;

/// A call, made ready over a communicator.
using find_call = std::function<std::function<void()>(coll::communicator&)>;

/// Traces calls of one communicator. All members are collective.
class recorder {
public:
    explicit recorder(coll::communicator& of) : of_(of) {}

    /// The events of this rank, in the order in which it posted them. `meet` returns once all ranks
    /// have called it.
    std::vector<coll::trace_event> record(std::function<void()> const& meet, find_call const& find);
    /// Those of all ranks, on rank 0.
    std::vector<coll::trace_event> gather(std::vector<coll::trace_event> const& mine);

private:
    coll::communicator& of_;
    coll::traced trace_;
    std::optional<coll::communicator> told_;
};

}  // namespace coll_perf
