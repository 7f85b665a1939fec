// SPDX-License-Identifier: BSD-3-Clause
// How much memory the control groups of this process can still give: a container's limit is there,
// not in /proc/meminfo.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

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
/// `otherwise` if the file has none.
inline std::size_t number_in_file(std::string const& path, char const* word,
                                  std::size_t otherwise) {
    auto* const file = std::fopen(path.c_str(), "r");
    if (file == nullptr) { return otherwise; }
    auto const length = std::strlen(word);
    char text[128];
    unsigned long number = 0;
    auto found = false;
    while (!found && std::fgets(text, sizeof text, file) != nullptr) {
        found = std::strncmp(text, word, length) == 0 &&
                std::sscanf(text + length, " %lu", &number) == 1;
    }
    std::fclose(file);
    return found ? number : otherwise;
}

/// Bytes that the group at this path below `root`, and those around it, may still take. What they
/// hold of files is given back when needed.
inline std::size_t left_in_cgroup(std::string const& root, std::string path,
                                  cgroup_names const& names) {
    constexpr auto no_limit = std::numeric_limits<std::size_t>::max();
    auto least = no_limit;
    for (;;) {
        auto const folder = root + path;
        auto const limit = number_in_file(folder + names.limit, "", no_limit);
        if (limit != no_limit) {
            auto const used = number_in_file(folder + names.used, "", 0);
            auto const stat = folder + "/memory.stat";
            auto const files = number_in_file(stat, names.inactive_file, 0) +
                               number_in_file(stat, names.active_file, 0);
            auto const taken = used - std::min(used, files);
            least = std::min(least, limit - std::min(limit, taken));
        }
        if (path.empty()) { return least; }
        path.resize(std::min(path.rfind('/'), path.size() - 1));
    }
}

/// The same for the groups of this process. No limit where the kernel says nothing.
inline std::size_t left_in_cgroups(char const* own = "/proc/self/cgroup",
                                   std::string const& root = "/sys/fs/cgroup") {
    auto least = std::numeric_limits<std::size_t>::max();
    auto* const file = std::fopen(own, "r");
    if (file == nullptr) { return least; }
    char text[4200];  // "NUMBER:CONTROLLERS:PATH", without controllers in version 2
    while (std::fgets(text, sizeof text, file) != nullptr) {
        std::string_view rest(text);
        if (rest.ends_with('\n')) { rest.remove_suffix(1); }
        rest.remove_prefix(std::min(rest.find(':') + 1, rest.size()));
        auto const controllers = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(controllers.size() + 1, rest.size()));
        auto const path = std::string(rest == "/" ? "" : rest);
        if (controllers.empty()) { least = std::min(least, left_in_cgroup(root, path, cgroup_v2)); }
        if (controllers == "memory") {
            least = std::min(least, left_in_cgroup(root + "/memory", path, cgroup_v1));
        }
    }
    std::fclose(file);
    return least;
}

}  // namespace collectives::shared
