// SPDX-License-Identifier: BSD-3-Clause
// What makes other communicators, memory, and explanations; and all members' names.
#include "communicator.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "schedule.hpp"

#include <cstdint>
#include <optional>

namespace python {

communicator communicator::split(int color, int key) {
    rank_use::stay const inside(*use_);
    std::optional<coll::communicator> part;
    without_gil([&] { part.emplace(comm_->split(color, key)); });
    return {std::move(*part), use_};
}

communicator communicator::shrink(nb::handle timeout) {
    rank_use::stay const inside(*use_);
    coll::options const how{.timeout = timeout_of(timeout)};
    std::optional<coll::communicator> rest;
    without_gil([&] { rest.emplace(comm_->shrink(how)); });
    return {std::move(*rest), use_};
}

void communicator::abort(std::string_view why) {
    nb::gil_scoped_release const others_run;
    comm_->abort(why);
}

nb::object communicator::allocate(std::size_t bytes) {
    struct memory {
        coll::buffer<std::byte> bytes;
        std::shared_ptr<rank_use> use;
    };
    rank_use::stay const inside(*use_);
    std::shared_ptr<memory> mine;
    without_gil([&] {
        mine = std::make_shared<memory>(memory{comm_->allocate<std::byte>(bytes), use_});
    });
    auto* const data = mine->bytes.data();
    using owner_type = std::shared_ptr<memory>;
    nb::capsule const owner(new owner_type(std::move(mine)), [](void* p) noexcept {
        std::unique_ptr<owner_type> const last(static_cast<owner_type*>(p));
        auto const use = (*last)->use;
        use->drop(std::move(*last));
    });
    return nb::cast(nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>(data, {bytes}, owner));
}

std::string communicator::explain(std::size_t bytes, std::string_view what) {
    rank_use::stay const inside(*use_);
    auto const found = comm_->explain(bytes, collective_of(what));
    return found.why;
}

void bind_communicator(nb::module_& m) {
    using c = communicator;
    auto const x = nb::arg("x");
    auto const out = nb::arg("out") = nb::none();
    auto const op = nb::arg("op") = "sum";
    auto const root = nb::arg("root") = 0;
    auto const tag = nb::arg("tag") = 0;
    auto const counts = nb::arg("counts") = nb::none();
    auto const wait = nb::arg("wait") = true;
    auto const how = nb::arg("how");
    nb::class_<c>(m, "Communicator",
                  "A group of ranks that call collectives together, in the same order.")
        .def_prop_ro("rank", &c::rank)
        .def_prop_ro("size", &c::size)
        .def("all_reduce", &c::all_reduce, x, op, out, wait, how,
             "The reduction of all ranks' arrays, in x or in out. Returns that array.")
        .def("reduce", &c::reduce, x, op, root, out, wait, how,
             "The reduction of all ranks' arrays, on root; None elsewhere.")
        .def("reduce_scatter", &c::reduce_scatter, x, op, out, counts, wait, how,
             "This rank's rows of the reduction. The first rows % size ranks get one more.")
        .def("broadcast", &c::broadcast, x, root, wait, how, "Root's array, into x everywhere.")
        .def("all_gather", &c::all_gather, x, out, counts, wait, how,
             "All ranks' arrays: (size, *x.shape); with counts one after the other.")
        .def("gather", &c::gather, x, root, out, counts, wait, how,
             "As all_gather, on root; None elsewhere.")
        .def("scatter", &c::scatter, x.none(), nb::arg("out"), root, counts, wait, how,
             "Block `rank` of root's x, into out. x is looked at on root alone.")
        .def("all_to_all", &c::all_to_all, x, out, wait, how,
             "Block j of rank i's x becomes block i of rank j's result.")
        .def("barrier", &c::barrier, wait, how, "Returns once all ranks have entered it.")
        .def("send", &c::send, x, nb::arg("to"), tag, wait, how, "A message to rank `to`.")
        .def("recv", &c::recv, x, nb::arg("source"), tag, wait, how,
             "A message from rank `source`, into x.")
        .def("split", &c::split, nb::arg("color"), nb::arg("key") = 0,
             "A communicator of the ranks with the same color, ordered by key, then rank.")
        .def("_shrink", &c::shrink, nb::arg("timeout") = nb::none())
        .def("abort", &c::abort, nb::arg("why"), "Ends every rank's waits with an error.")
        .def("_allocate", &c::allocate, nb::arg("bytes"))
        .def("explain", &c::explain, nb::arg("nbytes"), nb::arg("collective") = "all_reduce",
             "Which algorithm `automatic` takes for so many bytes, and why.");
}

}  // namespace python
