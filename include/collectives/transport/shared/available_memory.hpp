// SPDX-License-Identifier: BSD-3-Clause
// How much memory the machine can still give.
#pragma once

#include <cstddef>
#include <cstdio>
#include <limits>

namespace collectives::inline v0::shared {

/// Bytes that new allocations may take without swapping, as the kernel estimates it.
inline std::size_t available_memory() {
    auto* const file = std::fopen("/proc/meminfo", "r");
    if (file == nullptr) { return std::numeric_limits<std::size_t>::max(); }
    char text[128];
    unsigned long kib = 0;
    auto found = false;
    while (!found && std::fgets(text, sizeof text, file) != nullptr) {
        found = std::sscanf(text, "MemAvailable: %lu kB", &kib) == 1;
    }
    std::fclose(file);
    return found ? kib * 1024 : std::numeric_limits<std::size_t>::max();
}

/// Whether so many bytes would take nearly all that is left. The kernel gives out pages as they are
/// touched, and when there are none it kills somebody: who wants much has to ask before. O(1);
/// below 64 MiB nothing is asked.
inline bool is_too_much_memory(std::size_t bytes) {
    return bytes >= 64 * 1024 * 1024 && bytes > available_memory() / 16 * 15;
}

}  // namespace collectives::shared
