// SPDX-License-Identifier: BSD-3-Clause
// The module that makes backends. Built by collectives/torch/_build.py at its first use.
#include "backend.hpp"
#include "floor.hpp"
#include "sparse.hpp"

#include <torch/csrc/utils/pybind.h>

#include <pybind11/chrono.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace collectives_torch {

/// The backend of a group, or null where its ranks are to go over Gloo. Collective.
backend_pointer create(store_pointer const& store, int rank, int size,
                       std::chrono::milliseconds time, std::string const& name,
                       std::string const& group_name) {
    try {
        group_store meeting(*store, rank, size);
        auto where = come_together(meeting, time);
        meeting.leave();
        if (!where.core) { return {}; }
        auto made =
            c10::make_intrusive<backend>(std::move(where), rank, size, name, group_name, time);
        made->use_store(store);
        return made;
    } catch (...) { rethrow_as_torch(group_name); }
}

/// The backend of a part of this group; null on a rank that is not in it.
backend_pointer backend::split(store_pointer const& store, std::vector<int> const& ranks,
                               options_pointer const& o) {
    auto const me = std::find(ranks.begin(), ranks.end(), getRank());
    if (me == ranks.end()) { return {}; }
    auto made = create(store, static_cast<int>(me - ranks.begin()), static_cast<int>(ranks.size()),
                       o->timeout, name_, o->group_name);
    TORCH_CHECK_WITH(DistBackendError, made, "collectives, group ", o->group_name,
                     ": its ranks are on several hosts, and not all have UCX now");
    return made;
}

}  // namespace collectives_torch

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    using collectives_torch::pool;
    m.def("create", &collectives_torch::create, pybind11::arg("store"), pybind11::arg("rank"),
          pybind11::arg("size"), pybind11::arg("timeout"), pybind11::arg("name"),
          pybind11::arg("group_name"), pybind11::call_guard<pybind11::gil_scoped_release>());
    m.def("has_ucx", &collectives_torch::has_ucx);
    m.def("set_version",
          [](std::uint64_t number) { collectives_torch::version_of_this_package = number; });
    m.def("set_pool_limit", [](std::size_t bytes) { pool::of_this_process().set_limit(bytes); });
    m.def("pool_usage", [] {
        auto const now = pool::of_this_process().in_use();
        return std::array{now.limit, now.in_tensors, now.kept, now.refused};
    });
    m.def("is_reached", [](std::uintptr_t address, std::size_t bytes) {
        return collectives_torch::seats::of_this_process().reach(
            reinterpret_cast<void const*>(address), bytes);
    });
    m.def("create_floor", [](int rank, int size) -> c10::intrusive_ptr<c10d::Backend> {
        return c10::make_intrusive<collectives_torch::floor_backend>(rank, size);
    });
}
