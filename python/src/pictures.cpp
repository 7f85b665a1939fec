// SPDX-License-Identifier: BSD-3-Clause
// The pictures of algorithms, by the text that draws those of coll_show.
#include "pictures.hpp"

#include "schedule.hpp"

#include <collectives/algorithm/all.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>

#include <coll_show/outputs.hpp>

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
    constexpr int most = 1024;  // a proof takes memory that grows with the cube of the ranks
    constexpr std::size_t bytes = 1 << 20;
    auto const algorithm = collectives::parse_algorithm(name);
    if (algorithm.is_automatic()) {
        throw collectives::usage_error("automatic has no picture: name an algorithm");
    }
    if (size < 1 || size > most) {
        throw collectives::usage_error(
            collectives::text_of("a picture is of 1 to ", most, " ranks, not of ", size));
    }
    if (!algorithm.fits(size)) {
        throw collectives::usage_error(
            collectives::text_of(collectives::name(algorithm), " is not for ", size, " ranks"));
    }
    auto const report = coll_show::make_report(algorithm, collective_of(of), size, root, bytes);
    return {report.title(), coll_show::as_svg(report)};
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
