// SPDX-License-Identifier: BSD-3-Clause
// Ranks that communicate over UCX, on one machine or many. Programs link UCX and libsodium.
#pragma once

#include <collectives/collectives.hpp>
#include <collectives/core/bootstrap.hpp>
#include <collectives/core/compiled.hpp>
#include <collectives/core/function_ref.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/launch/hosts.hpp>
#include <collectives/launch/join.hpp>

#include <cstddef>
#include <span>
#include <vector>

/// Ranks that communicate over UCX.
namespace collectives::inline v0::ucx {

namespace detail {

/// An all_gather among ranks that meet, as `concept bootstrap` has it.
using exchange =
    function_ref<std::vector<bootstrap_bytes>(std::span<std::byte const>, steady::time_point)>;
collectives::communicator connect(int rank, int size, exchange all_gather,
                                  steady::time_point until);

}  // namespace detail

/// The ranks of `exchange`, which is not needed afterwards. Collective. Throws what its all_gather
/// throws, timeout_error where ranks do not connect in time, transport_error for what UCX refuses.
template <bootstrap Bootstrap>
collectives::communicator communicator(Bootstrap& exchange, timeout time = {}) {
    return detail::connect(
        exchange.rank(), exchange.size(),
        [&](std::span<std::byte const> mine, steady::time_point until) {
            return exchange.all_gather(mine, until);
        },
        time.deadline(steady::now()));
}

/// The communicator of a job whose ranks were started by collrun, mpiexec, srun or torchrun, on one
/// machine or many: they meet as `meet` says. Which of UCX's transports they use, UCX_TLS says.
collectives::communicator join(timeout time = {});

namespace detail {

/// coll::join chooses from it too.
inline bool const is_joiner = collectives::detail::add_joiner(
    {"ucx", 1, [](job_place const&) { return collectives::detail::reach::all; }, ucx::join});

}  // namespace detail

}  // namespace collectives::ucx

#ifndef COLLECTIVES_COMPILED_UCX
#include <collectives/ucx.ipp>
#endif
