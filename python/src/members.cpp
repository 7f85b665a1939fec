// SPDX-License-Identifier: BSD-3-Clause
// The names of a communicator's members, and what Python's help says of them.
#include "communicator.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <string>

namespace python {

namespace {

using c = communicator;
using coll::collective;
using kind = manner::kind;

auto const how = nb::arg("how");

/// Binds a call under its name.
template <class... Given, class... Arguments>
void bind_call(nb::class_<c>& to, collective what, nb::object (c::*does)(manner const&, Given...),
               char const* doc, Arguments const&... arguments) {
    to.def(
        std::string(coll::name(what)).c_str(),
        [what, does](c& self, Given... given, bool wait, nb::kwargs const& options) {
            return (self.*does)({what, wait ? kind::at_once : kind::started, options}, given...);
        },
        arguments..., nb::arg("wait") = true, how, doc);
}

/// Binds a call and its plan_ form.
template <class... Given, class... Arguments>
void bind_collective(nb::class_<c>& to, collective what,
                     nb::object (c::*does)(manner const&, Given...), char const* doc,
                     Arguments const&... arguments) {
    bind_call(to, what, does, doc, arguments...);
    auto const name = std::string(coll::name(what));
    auto const of_plan = "Plans a call of " + name +
                         " and returns it as a Persistent. Takes its arguments but for\n"
                         "wait, raises UsageError for what is wrong with them, and sends nothing.";
    to.def(("plan_" + name).c_str(),
           [what, does](c& self, Given... given, nb::kwargs const& options) {
               return (self.*does)({what, kind::planned, options}, given...);
           },
           arguments..., how, of_plan.c_str());
}

void bind_collectives(nb::class_<c>& to) {
    auto const x = nb::arg("x").none();  // our own check says what x must be
    auto const out = nb::arg("out") = nb::none();
    auto const op = nb::arg("op").none() = "sum";
    auto const root = nb::arg("root") = 0;
    auto const none = [](char const* name) { return nb::arg(name) = nb::none(); };
    auto const counts = none("counts"), displacements = none("displacements");

    bind_collective(to, collective::all_reduce, &c::vector,
                    "The reduction of all ranks' arrays, in x or in out. Returns that array.\n\n"
                    "x, out: one shape on all ranks.",
                    x, op, out);
    bind_collective(to, collective::reduce, &c::rooted_vector,
                    "The reduction of all ranks' arrays, on root; None elsewhere.\n\n"
                    "x: one shape on all ranks. out: that shape; looked at on root alone.",
                    x, op, root, out);
    bind_collective(to, collective::scan, &c::vector,
                    "The reduction of the arrays of ranks 0 to this rank, in rank order.\n\n"
                    "x, out: one shape on all ranks; out may be x. Returns out, or a new array.\n"
                    "UsageError for 'average', which has no parts.",
                    x, op, out);
    bind_collective(
        to, collective::exscan, &c::vector,
        "The reduction of the arrays of the ranks before this one, in rank order.\n\n"
        "x, out: one shape on all ranks; out may be x. Returns out, or a new array. No\n"
        "rank is before rank 0: there out is not looked at and stays as it is, and\n"
        "without out the result is None. UsageError for 'average', as of scan.",
        x, op, out);
    bind_collective(
        to, collective::reduce_scatter, &c::reduce_scatter,
        "This rank's rows of the reduction. The first rows % size ranks get one more.\n\n"
        "x: one shape on all ranks. counts: the rows of each rank; with displacements\n"
        "those of rank i begin at row displacements[i] of x, and x may be longer.\n"
        "Returns out or a new array: (rows, *x.shape[1:]).",
        x, op, out, counts, displacements);
    bind_collective(to, collective::broadcast, &c::broadcast,
                    "Root's array, into x everywhere. Returns x, of one shape on all ranks.", x,
                    root);
    bind_collective(
        to, collective::all_gather, &c::all_gather,
        "All ranks' arrays. Returns out or a new array: (size, *x.shape).\n\n"
        "With counts, the rows of each rank's x, one block after the other:\n"
        "(sum(counts), *x.shape[1:]). With displacements too, the block of rank i begins\n"
        "at row displacements[i]; out keeps what is between the blocks, and a new array\n"
        "holds zeros there. Both are the same on all ranks.",
        x, out, counts, displacements);
    bind_collective(to, collective::gather, &c::gather,
                    "As all_gather, on root; None elsewhere. out is looked at on root alone.", x,
                    root, out, counts, displacements);
    bind_collective(
        to, collective::scatter, &c::scatter,
        "Block `rank` of root's x, into out. Returns out. x is looked at on root alone.\n\n"
        "x: size blocks of the shape of out, one after the other. counts: the rows of\n"
        "each rank's out; with displacements the block of rank i begins at row\n"
        "displacements[i] of x, and x may be longer. Both are the same on all ranks.",
        x, nb::arg("out").none(), root, counts, displacements);
    bind_collective(
        to, collective::all_to_all, &c::all_to_all,
        "Block j of rank i's x becomes block i of rank j's result.\n\n"
        "x: size equal blocks of rows, or send_counts[j] rows for rank j, which begin at\n"
        "row send_displacements[j]. The result, out or a new array, likewise, by\n"
        "recv_counts and recv_displacements. Counts come in pairs: send_counts[j] of\n"
        "rank i is recv_counts[i] of rank j. Between blocks out keeps what it has, and a\n"
        "new array holds zeros.",
        x, out, none("send_counts"), none("recv_counts"), none("send_displacements"),
        none("recv_displacements"));
    bind_collective(to, collective::barrier, &c::barrier,
                    "Returns once all ranks have entered it.");
}

void bind_messages(nb::class_<c>& to) {
    auto const x = nb::arg("x").none();
    auto const tag = nb::arg("tag") = 0;
    bind_call(to, collective::send, &c::message, "A message to rank `to`.", x, nb::arg("to"), tag);
    bind_call(to, collective::recv, &c::message,
              "A message from rank `source`, into x, whose size and type are the sender's.", x,
              nb::arg("source"), tag);
    to.def(
        "send_recv", &c::send_recv, x, nb::arg("to"), nb::arg("source"), tag,
        nb::arg("out") = nb::none(), how,
        "Sends x to rank `to` and receives from rank `source`, or the same, at once.\n\n"
        "Returns out, of the size and type that `source` sends, or a new array like x. x and out\n"
        "must not overlap.");
    to.def("probe", &c::probe, nb::arg("source"), nb::arg("tag") = 0,
           "The bytes of the next message of rank `source`, if one waits; else None.\n\n"
           "Does not wait for one. PeerLostError where that rank has gone and nothing can come.");
}

}  // namespace

void bind_communicator(nb::module_& m) {
    nb::class_<c> to(
        m, "Communicator",
        "A group of ranks that call collectives together, in the same order.\n\n"
        "x and out are NumPy arrays, or objects with the buffer protocol or DLPack: contiguous, "
        "in\n"
        "host memory. A row is what one index of the first axis selects; counts and displacements\n"
        "are rows, one number per rank. op is an operator's name or a premultiplied_sum. With\n"
        "wait=False a call returns a Pending. Every call raises UsageError for what this rank can\n"
        "see is wrong, before anything is sent, else MismatchError, TimeoutError, PeerLostError "
        "or\n"
        "TransportError; after these the communicator is broken, and each further call raises.");
    to.def_prop_ro("rank", &c::rank).def_prop_ro("size", &c::size);
    bind_collectives(to);
    bind_messages(to);
    to.def("split", &c::split, nb::arg("color"), nb::arg("key") = 0,
           "A communicator of the ranks with the same color, ordered by key, then rank.")
        .def("_shrink", &c::shrink, nb::arg("timeout") = nb::none())
        .def("abort", &c::abort, nb::arg("why"), "Ends every rank's waits with an error.")
        .def("_allocate", &c::allocate, nb::arg("bytes"))
        .def("explain", &c::explain, nb::arg("nbytes"), nb::arg("collective") = "all_reduce",
             "Which algorithm `automatic` takes for so many bytes, and why.");
}

}  // namespace python
