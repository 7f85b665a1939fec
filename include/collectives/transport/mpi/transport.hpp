// SPDX-License-Identifier: BSD-3-Clause
// Ranks of an MPI job.
#pragma once

#include <collectives/core/timeout.hpp>
#include <collectives/transport/mpi/header.hpp>
#include <collectives/transport/mpi/link.hpp>
#include <collectives/transport/wire/transport.hpp>

#include <chrono>
#include <memory>

namespace collectives::inline v0::mpi {

class transport : public wire::transport<link> {
public:
    /// Collective over `base`, which must not be used by others meanwhile. Throws usage_error where
    /// MPI is not initialised or this thread may not call it, timeout_error where ranks are
    /// missing, transport_error for what MPI refuses.
    explicit transport(MPI_Comm base, std::chrono::nanoseconds time = timeout{}.span())
        : wire::transport<link>(std::make_unique<link>(base, time)) {}

    /// Whether MPI was initialised for more than its main thread, one at a time.
    bool any_thread() const { return detail::is_for_any_thread(); }
};

}  // namespace collectives::mpi
