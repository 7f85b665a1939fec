// SPDX-License-Identifier: BSD-3-Clause
// The pictures of algorithms.
#include "pictures.hpp"

#include "schedule.hpp"

#include <collectives/algorithm/all.hpp>
#include <collectives/schedule/draw.hpp>
#include <collectives/schedule/drawing/labels.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <string>
#include <string_view>
#include <utility>

namespace python {

namespace nb = nanobind;

namespace {

/// A title, and the picture as SVG.
std::pair<std::string, std::string> draw(std::string_view name, int size, std::string_view of,
                                         int root) {
    auto const algorithm = collectives::parse_algorithm(name);
    auto const what = collective_of(of);
    auto svg = collectives::draw(algorithm, size, what, root);
    return {collectives::drawing::title_of(collectives::name(algorithm), what, size, root),
            std::move(svg)};
}

}  // namespace

void bind_pictures(nb::module_& m) {
    m.def(
        "draw",
        [](std::string_view name, int size, std::string_view of, int root) {
            auto [title, svg] = draw(name, size, of, root);
            return nb::make_tuple(title, svg);
        },
        nb::arg("algorithm"), nb::arg("size"), nb::arg("collective"), nb::arg("root"));
}

}  // namespace python
