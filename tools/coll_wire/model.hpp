// SPDX-License-Identifier: BSD-3-Clause
// What an all-reduce over a wire should take: the model that `automatic` goes by, at prices of this
// wire.
#pragma once

#include "measure.hpp"

#include <collectives/select/cost_profile.hpp>

namespace coll_wire {

/// Bytes per second that links carry for a program.
double payload_rate(wire const& over);

class wire_model {
public:
    /// Prices of a round, a message and a byte added are 0, that of a byte follows from the links'
    /// rate. Adding up stays free: links take a hundred times as long.
    explicit wire_model(wire const& over);

    /// The two prices that are not known, from what two all-reduces of `probe_bytes` in one segment
    /// took: a ring has as many rounds as messages, two_shot as many messages in two rounds.
    void fit(double ring_seconds, double two_shot_seconds);
    static constexpr std::size_t probe_bytes = std::size_t{256} << 10;

    /// Each slice has messages of its own; its rounds pass beside what links carry of the others.
    double seconds(question const& q) const;
    /// No algorithm is quicker.
    double bound(std::size_t bytes) const;

    double round() const { return prices_.link_round; }
    double message() const { return prices_.link_message; }

private:
    coll::detail::cost_profile profile_of(coll::any_algorithm a) const;

    wire over_;
    coll::machine_model prices_{};
};

}  // namespace coll_wire
