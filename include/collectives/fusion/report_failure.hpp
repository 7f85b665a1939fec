// SPDX-License-Identifier: BSD-3-Clause
// Reports a failure that only one rank knows: it breaks the communicator, so that no peer waits.
#pragma once

#include <collectives/core/failure.hpp>
#include <collectives/run/engine.hpp>

namespace collectives::inline v0::detail {

/// Breaks the communicator on all ranks, unless it is broken already.
inline void report_failure(engine& e, failure const& why) {
    if (!e.stopped()) { e.break_by(why); }
}

}  // namespace collectives::detail
