// SPDX-License-Identifier: BSD-3-Clause
// An adaptor that counts what a rank really sends and receives.
#pragma once

#include <collectives/core/compiled.hpp>
#include <collectives/core/shared.hpp>

#include <cstddef>
#include <memory>

namespace collectives::inline v0 {

class any_transport;

/// counted counts; auto seen = comm.with(counts): `counts` then counts what this rank moves on
/// `seen` and its children. Copies share their counts, and may outlive the communicator.
class counted {
public:
    counted();  ///< counts from 0 on

    /// For `communicator::with`: the transport that counts.
    std::shared_ptr<any_transport> operator()(std::shared_ptr<any_transport> base) const;

    /// Bytes of payload handed over for sending since the last `reset`.
    std::size_t sent() const;
    /// Bytes of payload that receives were posted for.
    std::size_t received() const;
    /// Messages sent.
    std::size_t messages() const;
    void reset();  ///< counts from 0 on again

private:
    struct counts;
    class transport;
    shared_pointer<counts> counts_;
};

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/transport/counted.ipp>
#endif
