// SPDX-License-Identifier: BSD-3-Clause
// Starts the ranks.
#include "ranks.hpp"

#include "device/run.hpp"
#include "rank.hpp"

namespace trainer {

void run(work const& w) {
    if (w.kind == task::train && w.how.on == processor::device) { return run_on_devices(w); }
    on_ranks(w.how, [&](coll::communicator& comm) { work_on(comm, w); });
}

}  // namespace trainer
