// SPDX-License-Identifier: BSD-3-Clause
// How many processors the ranks of a job have, from what each of them sees.
#pragma once

#include <collectives/core/type_name.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <span>
#include <string_view>

namespace collectives::inline v0::wire {

/// What a rank tells the others of the processors that it may run on.
struct rank_processors {
    std::uint64_t machine = 0;  // the same for ranks that share processors
    cpu_set_t usable;

    /// `name` is what the library below calls the machine, if it has a name for it.
    static rank_processors of_this_process(std::string_view name = {}) {
        rank_processors mine;
        CPU_ZERO(&mine.usable);
        if (::sched_getaffinity(0, sizeof mine.usable, &mine.usable) != 0) {
            CPU_SET(0, &mine.usable);
        }
        std::array<char, 256> text{};
        std::ifstream("/proc/sys/kernel/random/boot_id")
            .read(text.data(), static_cast<std::streamsize>(text.size() - 1));
        if (text[0] == '\0') { ::gethostname(text.data(), text.size() - 1); }
        mine.machine = detail::hash_text(name, detail::hash_text(text.data()));
        return mine;
    }
};

/// Processors for all ranks, as if each machine had as many per rank as the one that has fewest.
/// The ranks of a machine may be bound to cores: together they have the union of these.
inline int shared_processors(std::span<rank_processors const> all) {
    struct machine {
        cpu_set_t usable;
        int ranks = 0;
    };
    std::map<std::uint64_t, machine> machines;
    for (auto const& one : all) {
        auto& its = machines[one.machine];
        if (its.ranks++ == 0) { CPU_ZERO(&its.usable); }
        CPU_OR(&its.usable, &its.usable, &one.usable);
    }
    auto const ranks = static_cast<int>(all.size());
    auto least = ranks * CPU_SETSIZE;
    for (auto const& [name, its] : machines) {
        least = std::min(least, CPU_COUNT(&its.usable) * ranks / its.ranks);
    }
    return std::max(least, 1);
}

}  // namespace collectives::wire
