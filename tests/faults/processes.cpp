// SPDX-License-Identifier: BSD-3-Clause
// Faults that only ranks of their own process can have, and what the system refuses them.
#include <faults/harness.hpp>

namespace faults {

kind_of_job const job = on_shm;

}  // namespace faults
