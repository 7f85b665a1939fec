// SPDX-License-Identifier: BSD-3-Clause
#include "binding.hpp"

#include <fmt/format.h>
#include <hwloc.h>

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

/// What this process may use, or this thread: less than the machine has, if it is bound.
processors usable(hwloc_topology_t machine, int whose = HWLOC_CPUBIND_PROCESS) {
    processors mine(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(machine)));
    if (hwloc_topology_is_thissystem(machine) == 0) { return mine; }  // a described machine
    processors bound(hwloc_bitmap_alloc());
    if (hwloc_get_cpubind(machine, bound.get(), whose) == 0) {
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

place place_on(part const& where, unit of) {
    place result;
    for (int i = -1; (i = hwloc_bitmap_next(where.own.get(), i)) != -1;) {
        result.processors.add(static_cast<std::size_t>(i));
    }
    auto const set = text_of(where.own.get());
    auto const list =
        fmt::format("processor{} {}", hwloc_bitmap_weight(where.own.get()) > 1 ? "s" : "", set);
    result.of = of;
    if (of == unit::none) {
        result.name = list;
        return result;
    }
    result.number = where.object->logical_index;
    if (of == unit::numa) {
        result.name = fmt::format("NUMA node {} ({})", result.number, list);
    } else {
        result.name = fmt::format("core {} (NUMA node {}, {})", result.number,
                                  text_of(where.object->nodeset), list);
    }
    return result;
}

hwloc_obj_type_t type_of(unit of) { return of == unit::core ? HWLOC_OBJ_CORE : HWLOC_OBJ_NUMANODE; }

/// Of the parts of this machine, one for each rank. `parts` are enough.
std::vector<place> share_out(std::vector<part> const& parts, unit of, std::size_t ranks) {
    std::vector<place> result;
    for (std::size_t r = 0; r < ranks; ++r) {
        auto const at = of == unit::core ? r : r * parts.size() / ranks;
        result.push_back(place_on(parts[at], of));
    }
    return result;
}

}  // namespace

std::vector<place> places(unit of, int ranks) {
    if (of == unit::none) { return {}; }
    auto const machine = this_machine();
    auto const parts = usable_parts(machine.get(), type_of(of));
    auto const size = static_cast<std::size_t>(ranks);
    if (parts.empty() || (of == unit::core && parts.size() < size)) {
        throw std::runtime_error(
            fmt::format("{} rank{} cannot be bound to {}: this process may use {} of them", ranks,
                        ranks == 1 ? "" : "s",
                        of == unit::core ? "cores of their own" : "NUMA nodes", parts.size()));
    }
    return share_out(parts, of, size);
}

std::vector<place> cores_if_enough(int ranks) {
    auto const machine = this_machine();
    auto const cores = usable_parts(machine.get(), HWLOC_OBJ_CORE);
    auto const size = static_cast<std::size_t>(ranks);
    if (cores.size() < size) { return {}; }
    return share_out(cores, unit::core, size);
}

place here() {
    auto const machine = this_machine();
    auto mine = usable(machine.get(), HWLOC_CPUBIND_THREAD);
    for (auto const of : {unit::core, unit::numa}) {
        hwloc_obj_t o = nullptr;
        while ((o = hwloc_get_next_obj_by_type(machine.get(), type_of(of), o)) != nullptr) {
            if (hwloc_bitmap_isincluded(mine.get(), o->cpuset) == 0) { continue; }
            return place_on({o, std::move(mine)}, of);
        }
    }
    return place_on({nullptr, std::move(mine)}, unit::none);
}

}  // namespace binding
