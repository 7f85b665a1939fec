// SPDX-License-Identifier: BSD-3-Clause
// The part that the drivers of all peers share.
#pragma once

#include "../../tools/coll_perf/order.hpp"
#include "../../tools/coll_perf/ranks/foreign.hpp"

#include <iostream>
#include <string>

namespace peers {

using namespace coll_perf;
using foreign::visit_type;

/// Runs all cases on this rank; `find` as in `foreign::measure`.
template <class Find>
int run(order const& o, int rank, int ranks, Find const& find) {
    auto meeting = o.meet(ranks);
    foreign::measure(meeting, rank, o.how, o.cases, find,
                     [](std::string const& line) { std::cout << line << std::endl; });
    return 0;
}

}  // namespace peers
