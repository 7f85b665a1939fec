// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are threads of this process.
#include "rank.hpp"

namespace trainer {

void run_threads(work const& w) {
    coll::threads::run(w.how.ranks, [&](auto& comm) { work_or_observe(comm, w); });
}

}  // namespace trainer
