// SPDX-License-Identifier: BSD-3-Clause
// How much memory the control groups of this process can still give: a container's limit is there,
// not in /proc/meminfo.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <limits>

namespace collectives::inline v0::shared {

/// What the two versions of control groups call the same.
struct cgroup_names {
    char const *limit, *used, *inactive_file, *active_file;
};
inline constexpr cgroup_names cgroup_v1{"/memory.limit_in_bytes", "/memory.usage_in_bytes",
                                        "total_inactive_file", "total_active_file"};
inline constexpr cgroup_names cgroup_v2{"/memory.max", "/memory.current", "inactive_file",
                                        "active_file"};

/// The number behind this word at the beginning of a line, or the first one where there is no word;
/// `otherwise` if the file `folder` + `name` has none.
[[gnu::cold]] inline std::size_t number_in_file(char const* folder, char const* name,
                                                char const* word, std::size_t otherwise) {
    char text[4500];
    std::snprintf(text, sizeof text, "%s%s", folder, name);
    auto* const file = std::fopen(text, "r");
    if (file == nullptr) { return otherwise; }
    auto const length = std::strlen(word);
    unsigned long number = 0;
    auto found = false;
    while (!found && std::fgets(text, 128, file) != nullptr) {
        found = std::strncmp(text, word, length) == 0 &&
                std::sscanf(text + length, " %lu", &number) == 1;
    }
    std::fclose(file);
    return found ? number : otherwise;
}

/// Bytes that the group at this path below `root`, and those around it, may still take. What they
/// hold of files is given back when needed.
[[gnu::cold]] inline std::size_t left_in_cgroup(char const* root, char const* path,
                                                cgroup_names const& names) {
    constexpr auto no_limit = std::numeric_limits<std::size_t>::max();
    auto least = no_limit;
    char folder[4400];
    std::snprintf(folder, sizeof folder, "%s%s", root, path);
    auto const top = std::strlen(root);
    for (;;) {
        auto const limit = number_in_file(folder, names.limit, "", no_limit);
        if (limit != no_limit) {
            auto const used = number_in_file(folder, names.used, "", 0);
            auto const files = number_in_file(folder, "/memory.stat", names.inactive_file, 0) +
                               number_in_file(folder, "/memory.stat", names.active_file, 0);
            auto const taken = used - std::min(used, files);
            least = std::min(least, limit - std::min(limit, taken));
        }
        auto* const last = std::strrchr(folder, '/');
        if (last == nullptr || last < folder + top) { return least; }
        *last = '\0';
    }
}

/// The same for the groups of this process. No limit where the kernel says nothing.
[[gnu::cold]] inline std::size_t left_in_cgroups(char const* own = "/proc/self/cgroup",
                                                 char const* root = "/sys/fs/cgroup") {
    auto least = std::numeric_limits<std::size_t>::max();
    auto* const file = std::fopen(own, "r");
    if (file == nullptr) { return least; }
    char text[4200];  // "NUMBER:CONTROLLERS:PATH", without controllers in version 2
    char below[4400];
    std::snprintf(below, sizeof below, "%s/memory", root);
    while (std::fgets(text, sizeof text, file) != nullptr) {
        text[std::strcspn(text, "\n")] = '\0';
        auto* const controllers = std::strchr(text, ':');
        auto* const path = controllers == nullptr ? nullptr : std::strchr(controllers + 1, ':');
        if (path == nullptr) { continue; }
        auto const* const folder = std::strcmp(path, ":/") == 0 ? "" : path + 1;
        if (path == controllers + 1) {
            least = std::min(least, left_in_cgroup(root, folder, cgroup_v2));
        }
        if (std::strncmp(controllers, ":memory:", 8) == 0) {
            least = std::min(least, left_in_cgroup(below, folder, cgroup_v1));
        }
    }
    std::fclose(file);
    return least;
}

}  // namespace collectives::shared
