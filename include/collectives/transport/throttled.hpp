// SPDX-License-Identifier: BSD-3-Clause
// An adaptor that gives each rank a link of a stated rate, so that a machine without a network
// shows what a network makes of an algorithm.
#pragma once

#include <collectives/core/compiled.hpp>

#include <chrono>
#include <memory>

namespace collectives::inline v0 {

class any_transport;

/// comm.with(throttled{.bytes_per_second = 25e6}): 200 Mbit/s for each rank. Full duplex: sent
/// messages leave one after the other at the rate of the link, and received messages come in the
/// same way, at the same time. A message passes from link to link without being stored
/// (cut-through), so it is done once its last byte has passed. `latency` is added to each message.
struct throttled {
    double bytes_per_second = 125e6;      ///< in each direction, above 0; infinity: latency alone
    std::chrono::nanoseconds latency{0};  ///< of each message, on top

    /// For `communicator::with`: the transport that is as slow. Throws usage_error for a rate or a
    /// latency that no link has.
    std::shared_ptr<any_transport> operator()(std::shared_ptr<any_transport> base) const;
};

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/transport/throttled.ipp>
#endif
