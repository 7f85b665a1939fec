// SPDX-License-Identifier: BSD-3-Clause
// How much memory the machine can still give.
#pragma once

#include <collectives/transport/shared/cgroup.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace collectives::inline v0::shared {

/// Bytes that new allocations may take without swapping, as the kernel estimates it.
[[gnu::cold]] inline std::size_t available_memory() {
    constexpr auto unknown = std::numeric_limits<std::size_t>::max();
    auto const kib = number_in_file("/proc", "/meminfo", "MemAvailable:", unknown);
    return std::min(kib == unknown ? unknown : kib * 1024, left_in_cgroups());
}

/// Whether this many bytes would take nearly all memory that is left. The kernel provides pages
/// when they are touched, and kills a process if there are none. So ask before you take much. O(1);
/// below 64 MiB it does not ask.
inline bool is_too_much_memory(std::size_t bytes) {
    return bytes >= 64 * 1024 * 1024 && bytes > available_memory() / 16 * 15;
}

}  // namespace collectives::shared
