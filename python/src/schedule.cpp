// SPDX-License-Identifier: BSD-3-Clause
#include "schedule.hpp"

#include <collectives/core/text.hpp>
#include <collectives/schedule.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

namespace python {

namespace nb = nanobind;
namespace coll = collectives;

namespace {

std::string shown(coll::proof const& p) {
    std::string text = coll::text_of("<Proof: ", p.what);
    if (p.order_preserving) { text += ", order-preserving"; }
    if (p.position_independent) { text += ", position-independent"; }
    if (p.left_fold) { text += ", left fold"; }
    return text + ">";
}
std::string shown(coll::traffic const& t) {
    return coll::text_of("<Traffic: sends ", t.sent, " bytes, receives ", t.received, ", reduces ",
                         t.reduced, ">");
}
std::string shown(coll::cost::lower_bound const& b) {
    return coll::text_of("<Bound: ", b.rounds, " rounds, sends ", b.sent, " bytes, reduces ",
                         b.reduced, ">");
}
std::string shown(coll::cost const& c) {
    return coll::text_of("<Cost: ", c.rounds, " rounds (bound ", c.bound.rounds,
                         "); the busiest rank sends ", c.busiest.sent, " bytes (bound ",
                         c.bound.sent, "), receives ", c.busiest.received, ", reduces ",
                         c.busiest.reduced, " (bound ", c.bound.reduced, ")>");
}

}  // namespace

coll::collective collective_of(std::string_view name) {
    std::string known;
    for (auto const what : coll::scheduled_collectives) {
        if (coll::name(what) == name) { return what; }
        known += coll::text_of(known.empty() ? "" : ", ", coll::name(what));
    }
    throw coll::usage_error(
        coll::text_of("there is no collective '", name, "'; the collectives are ", known));
}

void bind_schedule(nb::module_& m) {
    nb::class_<coll::proof>(m, "Proof")
        .def_prop_ro("ok", [](coll::proof const& p) { return p.ok; })
        .def_prop_ro("what", [](coll::proof const& p) { return std::string(p.what); })
        .def_ro("rank", &coll::proof::rank)
        .def_ro("round", &coll::proof::round)
        .def_ro("chunk", &coll::proof::chunk)
        .def_ro("order_preserving", &coll::proof::order_preserving)
        .def_ro("position_independent", &coll::proof::position_independent)
        .def_ro("left_fold", &coll::proof::left_fold)
        .def("__bool__", [](coll::proof const& p) { return p.ok; })
        .def("__repr__", [](coll::proof const& p) { return shown(p); });
    nb::class_<coll::traffic>(m, "Traffic")
        .def_ro("sent", &coll::traffic::sent)
        .def_ro("received", &coll::traffic::received)
        .def_ro("reduced", &coll::traffic::reduced)
        .def("__repr__", [](coll::traffic const& t) { return shown(t); });
    nb::class_<coll::cost> cost(m, "Cost");
    nb::class_<coll::cost::lower_bound>(cost, "Bound")
        .def_ro("rounds", &coll::cost::lower_bound::rounds)
        .def_ro("sent", &coll::cost::lower_bound::sent)
        .def_ro("reduced", &coll::cost::lower_bound::reduced)
        .def("__repr__", [](coll::cost::lower_bound const& b) { return shown(b); });
    cost.def_ro("rounds", &coll::cost::rounds)
        .def_ro("busiest", &coll::cost::busiest)
        .def_prop_ro("ranks",
                     [](coll::cost const& c) { return std::vector<coll::traffic>(c.ranks); })
        .def_ro("total", &coll::cost::total)
        .def_ro("bound", &coll::cost::bound)
        .def("__repr__", [](coll::cost const& c) { return shown(c); });
    auto const algorithm = nb::arg("algorithm");
    auto const size = nb::arg("size");
    auto const what = nb::arg("collective") = "all_reduce";
    auto const root = nb::arg("root") = 0;
    m.def(
        "check",
        [](std::string_view name, int ranks, std::string_view of, int at) {
            return coll::parse_algorithm(name).check(ranks, collective_of(of), at);
        },
        algorithm, size, what, root, "Proves the algorithm over so many ranks.");
    m.def(
        "cost",
        [](std::string_view name, int ranks, std::size_t bytes, std::string_view of, int at) {
            return coll::parse_algorithm(name).cost_of(ranks, bytes, collective_of(of), at);
        },
        algorithm, size, nb::arg("nbytes"), what, root,
        "Rounds and bytes of the algorithm, beside the lower bounds.");
    std::vector<std::string> const names(coll::algorithm_names.begin(),
                                         coll::algorithm_names.end());
    m.attr("algorithms") = nb::cast(names);
}

}  // namespace python
