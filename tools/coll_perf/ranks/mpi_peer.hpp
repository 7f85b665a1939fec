// SPDX-License-Identifier: BSD-3-Clause
// An MPI as a peer: which of its calls a case is.
#pragma once

#include "../kinds.hpp"
#include "../order.hpp"

#include "../../launched/mpi_calls.hpp"

namespace coll_perf {

/// Empty where MPI has no such call.
inline launched::mpi_calls::function find_in_mpi(launched::mpi_calls const& calls,
                                                 measured_case const& c) {
    using launched::mpi_form;
    auto const kind = kind::of(c.collective);
    launched::mpi_call to{.what = kind.like,
                          .type = c.type,
                          .op = c.op,
                          .root = c.root,
                          .count = c.count,
                          .in_place = c.in_place,
                          .window = window};
    switch (kind.how) {
        case form::call: break;
        case form::counts: to.how = mpi_form::counts; break;
        case form::exchange: to.how = mpi_form::exchange; break;
        case form::ping_pong: to.how = mpi_form::ping_pong; break;
        case form::one_way: to.how = mpi_form::one_way; break;
        case form::both_ways: to.how = mpi_form::both_ways; break;
        default: return {};
    }
    return calls.find(to);
}

}  // namespace coll_perf
