// SPDX-License-Identifier: BSD-3-Clause
#include "picture.hpp"

#include "../coll_plot/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace coll_predict {

std::string as_picture(question const& q) {
    std::vector<coll_plot::series> curves;
    for (auto const a : q.algorithms) {
        coll_plot::series s{coll::name(a), coll_plot::kind::ours, {}};
        for (auto const bytes : q.bytes) {
            s.seconds[static_cast<double>(bytes)] = seconds(a, q.size, bytes, q.at);
        }
        curves.push_back(std::move(s));
    }
    coll_plot::axis over;
    for (auto const& c : crossings(q)) {
        auto const at = std::max(static_cast<double>(c.bytes), 1.0);
        over.marks.push_back({at, coll::name(c.algorithm)});
    }
    auto const prices = fmt::format("a round {:g} s, a message {:g} s, a byte {:g} s, added {:g} s",
                                    q.at.alpha, q.at.message, q.at.beta, q.at.gamma);
    return coll_plot::as_svg(curves, coll_plot::quantity::latency,
                             fmt::format("all_reduce over {} ranks, predicted", q.size), prices,
                             over);
}

}  // namespace coll_predict
