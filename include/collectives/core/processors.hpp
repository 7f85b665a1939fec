// SPDX-License-Identifier: BSD-3-Clause
// How many processors there are to run ranks on.
#pragma once

#include <sched.h>
#include <unistd.h>

#include <algorithm>

namespace collectives::inline v0 {

/// The processors on which this thread may run. A thread that is bound to a core sees one.
inline int usable_processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) == 0) { return CPU_COUNT(&set); }
    return static_cast<int>(std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

}  // namespace collectives
