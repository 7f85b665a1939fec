// SPDX-License-Identifier: BSD-3-Clause
// Ranks that reach each other by UCX, on one machine or many. Programs link UCX and libsodium.
#pragma once

#include <collectives/collectives.hpp>
#include <collectives/core/bootstrap.hpp>
#include <collectives/launch/hosts.hpp>
#include <collectives/launch/meet.hpp>
#include <collectives/transport/ucx/transport.hpp>

#include <memory>

namespace collectives::ucx {

class communicator : public collectives::communicator<ucx::transport> {
public:
    /// The ranks of `meeting`, which is not needed afterwards. Collective. Throws what its
    /// all_gather throws, timeout_error where ranks do not connect in time, transport_error for
    /// what UCX refuses.
    template <bootstrap Bootstrap>
    explicit communicator(Bootstrap& meeting, timeout time = {})
        : communicator(meeting, time.deadline(steady::now())) {}
    template <bootstrap Bootstrap>
    communicator(Bootstrap& meeting, steady::time_point until)
        : collectives::communicator<ucx::transport>(
              std::make_shared<ucx::transport>(meeting, until)) {}
};

/// The communicator of a job whose ranks were started by collrun, mpiexec, srun or torchrun, on one
/// machine or many: they meet as `meet` says. Which of UCX's transports they use, UCX_TLS says.
inline communicator join(timeout time = {}) {
    auto const until = time.deadline(steady::now());
    auto meeting = meet(place_from_environment(), until);
    return communicator(meeting, until);
}

}  // namespace collectives::ucx

#ifdef COLLECTIVES_COMPILED_UCX  // what collectives::compiled_ucx holds
#include COLLECTIVES_COMPILED_UCX
#endif
