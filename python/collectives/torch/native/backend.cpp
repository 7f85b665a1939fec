// SPDX-License-Identifier: BSD-3-Clause
// The module that makes backends. Built by collectives/torch/_build.py at its first use.
#include "backend.hpp"
#include "floor.hpp"
#include "sparse.hpp"

#include <torch/csrc/utils/pybind.h>

#include <pybind11/chrono.h>
#include <pybind11/stl.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace collectives_torch {

/// The backend of a group, or null where its ranks are to go over Gloo. Collective.
c10::intrusive_ptr<c10d::Backend> create(c10::intrusive_ptr<c10d::Store> const& store, int rank,
                                         int size, std::chrono::milliseconds time,
                                         std::string const& name, std::string const& group_name) {
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

}  // namespace collectives_torch

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    using collectives_torch::pool;
    m.def("create", &collectives_torch::create, pybind11::arg("store"), pybind11::arg("rank"),
          pybind11::arg("size"), pybind11::arg("timeout"), pybind11::arg("name"),
          pybind11::arg("group_name"), pybind11::call_guard<pybind11::gil_scoped_release>());
    m.def("has_ucx", &collectives_torch::has_ucx);
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
