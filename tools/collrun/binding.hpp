// SPDX-License-Identifier: BSD-3-Clause
// On which processors the ranks of a job run.
#pragma once

#include <collectives/core/processors.hpp>

#include <pthread.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace binding {

enum class unit { none, core, numa };

/// "core", "numa" or "none". Throws std::invalid_argument for anything else.
inline unit parse_unit(std::string const& text) {
    if (text == "core") { return unit::core; }
    if (text == "numa") { return unit::numa; }
    if (text == "none") { return unit::none; }
    throw std::invalid_argument("ranks are bound to core, numa or none, not to \"" + text + "\"");
}

/// Where a rank runs.
struct place {
    collectives::processor_set processors;
    std::string name;      // "core 3 (NUMA node 0, processors 6-7)"
    unit of = unit::none;  // none: several of them
    unsigned number = 0;   // of the core or node
};

/// The places of `ranks` ranks of this machine, by hwloc, within what this process may use; none
/// for unit::none. `core`: a core each, neighbours on cores that share caches. `numa`: the
/// processors of a node, shared by neighbours; each node has as many ranks as another, or one more.
/// Throws std::runtime_error where there are fewer cores than ranks, or hwloc cannot tell.
std::vector<place> places(unit of, int ranks);

/// A core for each rank where this process may use as many; else none.
std::vector<place> cores_if_enough(int ranks);

/// Where the calling thread runs.
place here();

/// Binds the calling thread. False where the system refuses.
inline bool bind_to(place const& where) { return where.processors.bind(::pthread_self()); }

}  // namespace binding
