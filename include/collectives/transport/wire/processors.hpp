// SPDX-License-Identifier: BSD-3-Clause
// How many processors the ranks of a job have, from what each of them sees.
#pragma once

#include <collectives/core/files.hpp>
#include <collectives/core/processors.hpp>
#include <collectives/core/type_name.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string_view>

namespace collectives::inline v0::wire {

/// What a rank tells the others of the processors that it may run on.
struct rank_processors {
    std::uint64_t machine = 0;  // the same for ranks that share processors
    processor_set usable;

    /// `name` is what the library below calls the machine, if it has a name for it.
    static rank_processors of_this_process(std::string_view name = {}) {
        rank_processors mine;
        mine.usable = processor_set::of(0);
        mine.machine = detail::hash_text(name, detail::hash_text(detail::name_of_machine().data()));
        return mine;
    }
};

/// Processors for all ranks, as if each machine had as many per rank as the one that has fewest.
/// The ranks of a machine may be bound to cores: together they have the union of these.
inline int shared_processors(std::span<rank_processors const> all) {
    struct machine {
        processor_set usable;
        int ranks = 0;
    };
    std::map<std::uint64_t, machine> machines;
    for (auto const& one : all) {
        auto& its = machines[one.machine];
        ++its.ranks;
        its.usable.add(one.usable);
    }
    auto const ranks = static_cast<int>(all.size());
    auto least = std::numeric_limits<int>::max();
    for (auto const& [name, its] : machines) {
        least = std::min(least, its.usable.count() * ranks / its.ranks);
    }
    return std::max(least, 1);
}

}  // namespace collectives::wire
