// SPDX-License-Identifier: BSD-3-Clause
#include "binding.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <hwloc/glibc-sched.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <type_traits>

namespace binding {

namespace {

struct destroy {
    void operator()(hwloc_topology_t t) const { hwloc_topology_destroy(t); }
    void operator()(hwloc_bitmap_t b) const { hwloc_bitmap_free(b); }
};
using topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, destroy>;
using processors = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, destroy>;

topology this_machine() {
    hwloc_topology_t made = nullptr;
    if (hwloc_topology_init(&made) != 0) { throw std::runtime_error("hwloc does not start"); }
    topology machine(made);
    if (hwloc_topology_load(made) != 0) {
        throw std::runtime_error("hwloc cannot tell which cores this machine has");
    }
    return machine;
}

/// What this process may use, which may be less than the machine has.
processors usable(hwloc_topology_t machine) {
    processors mine(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(machine)));
    if (hwloc_topology_is_thissystem(machine) == 0) { return mine; }  // a described machine
    processors bound(hwloc_bitmap_alloc());
    if (hwloc_get_cpubind(machine, bound.get(), HWLOC_CPUBIND_PROCESS) == 0) {
        hwloc_bitmap_and(mine.get(), mine.get(), bound.get());
    }
    return mine;
}

std::string text_of(hwloc_const_bitmap_t set) {
    char* made = nullptr;
    if (hwloc_bitmap_list_asprintf(&made, set) < 0) { return "?"; }
    std::unique_ptr<char, decltype(&std::free)> const text(made, &std::free);
    return text.get();
}

/// A core or a node, as far as this process may use it.
struct part {
    hwloc_obj_t object;
    processors own;
};

/// In the order of hwloc's tree: neighbours share caches.
std::vector<part> usable_parts(hwloc_topology_t machine, hwloc_obj_type_t type) {
    auto const mine = usable(machine);
    std::vector<part> found;
    for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(machine, type, o)) != nullptr;) {
        processors own(hwloc_bitmap_alloc());
        hwloc_bitmap_and(own.get(), o->cpuset, mine.get());
        if (hwloc_bitmap_iszero(own.get()) == 0) { found.push_back({o, std::move(own)}); }
    }
    return found;
}

place place_on(hwloc_topology_t machine, part const& where, unit of) {
    place result;
    if (hwloc_cpuset_to_glibc_sched_affinity(machine, where.own.get(), &result.processors,
                                             sizeof result.processors) != 0) {
        throw std::runtime_error("hwloc names processors that the system does not");
    }
    auto const set = text_of(where.own.get());
    auto const list =
        fmt::format("processor{} {}", hwloc_bitmap_weight(where.own.get()) > 1 ? "s" : "", set);
    auto const number = where.object->logical_index;
    if (of == unit::numa) {
        result.name = fmt::format("NUMA node {} ({})", number, list);
    } else {
        result.name =
            fmt::format("core {} (NUMA node {}, {})", number, text_of(where.object->nodeset), list);
    }
    return result;
}

}  // namespace

std::vector<place> places(unit of, int ranks) {
    if (of == unit::none) { return {}; }
    auto const machine = this_machine();
    auto const parts =
        usable_parts(machine.get(), of == unit::core ? HWLOC_OBJ_CORE : HWLOC_OBJ_NUMANODE);
    auto const size = static_cast<std::size_t>(ranks);
    if (parts.empty() || (of == unit::core && parts.size() < size)) {
        throw std::runtime_error(
            fmt::format("{} rank{} cannot be bound to {}: this process may use {} of them", ranks,
                        ranks == 1 ? "" : "s",
                        of == unit::core ? "cores of their own" : "NUMA nodes", parts.size()));
    }
    std::vector<place> result;
    for (std::size_t r = 0; r < size; ++r) {
        auto const at = of == unit::core ? r : r * parts.size() / size;
        result.push_back(place_on(machine.get(), parts[at], of));
    }
    return result;
}

bool bind_to(place const& where) {
    return ::sched_setaffinity(0, sizeof where.processors, &where.processors) == 0;
}

}  // namespace binding
