// SPDX-License-Identifier: BSD-3-Clause
// Faults of ranks that are processes that share memory.
#include <faults/harness.hpp>

namespace faults {
using job = on_shm;
}

#include <faults/broken.hpp>
#include <faults/departures.hpp>
#include <faults/lateness.hpp>
#include <faults/mismatch.hpp>
#include <faults/pairs.hpp>
#include <faults/waiting.hpp>
