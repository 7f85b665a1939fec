// SPDX-License-Identifier: BSD-3-Clause
// Faults that only ranks of their own process can have, and what the system refuses them.
#include <faults/harness.hpp>

namespace faults {
using job = on_shm;
}

#include <faults/death.hpp>
#include <faults/resources.hpp>
#include <faults/stops.hpp>
