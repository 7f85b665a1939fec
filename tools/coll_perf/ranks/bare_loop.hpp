// SPDX-License-Identifier: BSD-3-Clause
// The messages of a recorded call, as a bare loop moves them.
#pragma once

#include "../../launched/loop_message.hpp"

#include <collectives/schedule/trace_event.hpp>

#include <span>
#include <vector>

namespace coll_perf {

/// The messages of one rank, from its events in the order of their posts. Each is posted after the
/// receives that had come when the call posted it.
std::vector<launched::loop_message> messages_of(std::span<collectives::trace_event const> events);

}  // namespace coll_perf
