// SPDX-License-Identifier: BSD-3-Clause
// What an all-reduce over a wire should take: the model that `automatic` goes by, at prices of this
// wire.
#pragma once

#include "measure.hpp"

#include <collectives/select/model.hpp>

namespace coll_wire {

/// Bytes per second that links carry for a program.
double payload_rate(wire const& over);

class wire_model {
public:
    /// Prices of a round, a message and a byte added are 0, that of a byte follows from the links'
    /// rate.
    explicit wire_model(wire const& over);

    /// Three prices that are not known, from what three all-reduces in one segment took. Two of
    /// `probe_bytes`: a ring has as many rounds as messages, two_shot as many messages in two
    /// rounds. And what a ring of `large_probe_bytes` takes beyond is the price of a byte added:
    /// while the hosts, which share this machine's processors, read what came last and add it up,
    /// links carry nothing.
    void fit(double ring_seconds, double two_shot_seconds, double large_ring_seconds);
    static constexpr std::size_t probe_bytes = std::size_t{256} << 10;
    static constexpr std::size_t large_probe_bytes = std::size_t{2} << 20;

    /// Each slice has messages of its own; its rounds, and adding it up, pass beside what links
    /// carry of the others.
    double seconds(question const& q) const;
    /// No algorithm is quicker.
    double bound(std::size_t bytes) const;

    double round() const { return prices_.link_round; }
    double message() const { return prices_.link_message; }
    double added_byte() const { return prices_.reduced_byte; }

private:
    void fit_messages(double ring_seconds, double two_shot_seconds);
    coll::cost_profile profile_of(coll::any_algorithm a) const;

    wire over_;
    coll::machine_model prices_{};
};

}  // namespace coll_wire
