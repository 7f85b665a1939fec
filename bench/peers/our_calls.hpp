// SPDX-License-Identifier: BSD-3-Clause
// This library's own calls, for the drivers of its transports that need a launcher.
#pragma once

#include "driver.hpp"

#include "../../tools/coll_perf/ranks/typed.hpp"
#include "../../tools/load/inherit.hpp"

#include <collectives/algorithm/all.hpp>

#include <functional>

namespace peers {

/// The call of a case on a communicator, which must outlive it; empty for a type or operator that
/// the drivers do not know.
inline std::function<void(std::byte*, std::size_t, std::byte*, std::size_t)> find_ours(
    coll::communicator& comm, measured_case const& c) {
    call_function function = nullptr;
    visit_type(c.type, [&]<class T>(T) {
        visit_operator(
            c.op, [&]<class Op>(Op) { function = find_call<T, Op>(collective_of(c.collective)); });
    });
    if (function == nullptr) { return {}; }
    coll::options how;
    how.algorithm = coll::parse_algorithm(c.algorithm);
    return [&comm, function, how, root = c.root](std::byte* in, std::size_t in_count,
                                                 std::byte* out, std::size_t out_count) {
        function(comm, {in, in_count, out, out_count, root, &how});
    };
}

/// The driver's work: measures what it is asked to over this communicator.
inline void run_ours(coll::communicator& comm, order const& o) {
    run(o, comm.rank(), comm.size(), [&](auto const& c) { return find_ours(comm, c); });
}

}  // namespace peers
