// SPDX-License-Identifier: BSD-3-Clause
// Ranks that reach each other by UCX, on one machine or many.
#pragma once

#include <collectives/collectives.hpp>
#include <collectives/transport/ucx/transport.hpp>

#include <memory>

namespace collectives::ucx {

/// A communicator of ranks that have met by other means: `meeting` models bootstrap. Collective.
class communicator : public collectives::communicator<ucx::transport> {
public:
    template <class Bootstrap>
    explicit communicator(Bootstrap& meeting, timeout time = {})
        : collectives::communicator<ucx::transport>(
              std::make_shared<ucx::transport>(meeting, time.deadline(steady::now()))) {}
};

}  // namespace collectives::ucx
