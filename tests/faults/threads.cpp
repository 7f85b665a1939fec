// SPDX-License-Identifier: BSD-3-Clause
// Faults of ranks that are threads.
#include <faults/harness.hpp>

namespace faults {
using job = on_threads;
}

#include <faults/broken.hpp>
#include <faults/departures.hpp>
#include <faults/lateness.hpp>
#include <faults/mismatch.hpp>
#include <faults/pairs.hpp>
#include <faults/waiting.hpp>
