// SPDX-License-Identifier: BSD-3-Clause
// Faults of ranks that are processes that share memory.
#include <faults/harness.hpp>

namespace faults {

kind_of_job const job = on_shm;

}  // namespace faults
