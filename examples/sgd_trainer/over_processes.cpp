// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are processes: children of this one, or all of them, this one included, started by
// mpiexec, srun, torchrun or collrun.
#include "rank.hpp"

namespace trainer {

void run_processes(work const& w) {
    coll::shm::run(w.how.ranks, [&](auto& comm) { work_or_observe(comm, w); });
}

void run_joined(work const& w) {
    auto comm = coll::shm::join();
    work_or_observe(comm, w);
}

}  // namespace trainer
