// SPDX-License-Identifier: BSD-3-Clause
// How large the processor's caches are, by what Linux says; sysconf adds up all of a machine's.
#pragma once

#include <collectives/core/files.hpp>

#include <array>
#include <cstddef>
#include <cstdio>

namespace collectives::inline v0::host {

/// Of the first processor. 0 or 1 where nothing is said.
struct cache_sizes {
    std::size_t own = 0;   // bytes of a core's largest own cache
    int own_sharers = 1;   // processors that it has
    std::size_t last = 0;  // bytes of the last cache before memory, shared by neighbours
    int sharers = 1;       // processors that share it
};

namespace detail {

/// Processors in a list such as "0-3,8"; at least 1.
[[gnu::cold]] inline int processors_in(char const* list) {
    int count = 0, first = 0, last = 0, length = 0;
    while (std::sscanf(list, "%d%n", &first, &length) == 1) {
        list += length;
        last = first;
        if (std::sscanf(list, "-%d%n", &last, &length) == 1) { list += length; }
        count += last - first + 1;
        if (*list++ != ',') { break; }
    }
    return count > 0 ? count : 1;
}

using cache_text = std::array<char, 256>;
/// What Linux says about the first processor's cache number `index`; empty if nothing.
[[gnu::cold]] inline cache_text cache_says(int index, char const* what) {
    cache_text path{};
    std::snprintf(path.data(), path.size(), "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index,
                  what);
    return collectives::detail::start_of_file<256>(path.data());
}
[[gnu::cold]] inline std::size_t cache_bytes(int index) {
    std::size_t kib = 0;
    return std::sscanf(cache_says(index, "size").data(), "%zuK", &kib) == 1 ? kib * 1024 : 0;
}
[[gnu::cold]] inline int cache_sharers(int index) {
    return processors_in(cache_says(index, "shared_cpu_list").data());
}
[[gnu::cold, gnu::noinline]] inline cache_sizes read_caches() {
    constexpr int second = 2, third = 3;
    return {cache_bytes(second), cache_sharers(second), cache_bytes(third), cache_sharers(third)};
}

}  // namespace detail

inline cache_sizes const& caches() {
    static auto const sizes = detail::read_caches();
    return sizes;
}

}  // namespace collectives::host
