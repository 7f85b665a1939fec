// SPDX-License-Identifier: BSD-3-Clause
#include "model.hpp"

#include "network.hpp"

#include <collectives/algorithm/all.hpp>
#include <collectives/communicator/segments.hpp>

#include <algorithm>
#include <vector>

namespace coll_wire {
namespace {

std::size_t slices_of(question const& q, int ranks) {
    auto const segment = q.segment == coll::chosen_segment
                             ? coll::detail::best_segment(q.bytes, q.algorithm, ranks,
                                                          coll::detail::way_of_data::by_messages)
                             : q.segment;
    return segment == 0 ? 1 : (q.bytes + segment - 1) / segment;
}

}  // namespace

double payload_rate(wire const& over) { return over.bits_per_second / 8 * network::payload_share; }

wire_model::wire_model(wire const& over) : over_(over) {
    prices_.link_byte = 1 / payload_rate(over);
    prices_.link_round = prices_.link_message = prices_.reduced_byte = 0;
}

void wire_model::fit(double ring_seconds, double two_shot_seconds) {
    auto const messages = 2.0 * (over_.ranks() - 1);
    auto const beyond = [&](coll::any_algorithm a, double took) {
        return took - seconds({a, probe_bytes, 0});
    };
    auto const both = std::max(beyond(coll::ring{}, ring_seconds) / messages, 0.0);
    auto const shot = beyond(coll::two_shot{}, two_shot_seconds);
    prices_.link_round = both;
    if (messages <= 2) { return; }
    prices_.link_round = std::clamp((messages * both - shot) / (messages - 2), 0.0, both);
    prices_.link_message = both - prices_.link_round;
}

coll::detail::cost_profile wire_model::profile_of(coll::any_algorithm a) const {
    std::vector<int> host_of;
    for (int r = 0; r < over_.ranks(); ++r) { host_of.push_back(r / over_.ranks_per_host); }
    return coll::detail::cost_profile::of(a, coll::collective::all_reduce, over_.ranks(),
                                          coll::detail::host_layout(host_of));
}

double wire_model::seconds(question const& q) const {
    auto const profile = profile_of(q.algorithm);
    auto const slices = static_cast<double>(slices_of(q, over_.ranks()));
    return profile.seconds(prices_, q.bytes) +
           (slices - 1) * profile.between.messages * prices_.link_message;
}

double wire_model::bound(std::size_t bytes) const {
    auto const k = static_cast<double>(over_.hosts);
    return 2 * static_cast<double>(bytes) * (k - 1) / k / payload_rate(over_);
}

}  // namespace coll_wire
