// SPDX-License-Identifier: BSD-3-Clause
#include "traffic.hpp"

#include <collectives/schedule/cost.hpp>
#include <collectives/schedule/schedule.hpp>

#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>

namespace coll_wire {
namespace {

std::vector<link_bytes> counted_in(question const& q, wire const& over) {
    std::vector<link_bytes> hosts(static_cast<std::size_t>(over.hosts));
    for (auto const& own : q.algorithm.record_all(coll::collective::all_reduce, over.ranks())) {
        auto const here = own.rank / over.ranks_per_host;
        auto& link = hosts[static_cast<std::size_t>(here)];
        for (auto const& s : own.steps) {
            if (s.peer / over.ranks_per_host == here) { continue; }
            auto& way = s.what == coll::verb::send ? link.sent : link.received;
            way += static_cast<double>(coll::detail::bytes_of(s.chunks, own.chunks, q.bytes));
        }
    }
    return hosts;
}

}  // namespace

void find_worst_link(answer& a, std::vector<link_bytes> const& wired) {
    auto const counted = counted_in(a.of, a.over);
    double worst = -1, worst_payload = -1;
    auto const look = [](double is, double should, double& most, double& wire, double& count) {
        auto const off = std::abs(is - should) / should;
        // A host that only sends still gets acknowledgements, which count for little.
        if (should > 0 && off > most) {
            most = off;
            wire = is;
            count = should;
        }
    };
    for (std::size_t h = 0; h < counted.size(); ++h) {
        auto const& its = wired[h];
        for (auto const& [is, payload, steps] :
             {std::tuple{its.sent, its.sent_payload, counted[h].sent},
              std::tuple{its.received, its.received_payload, counted[h].received}}) {
            look(is, steps / network::payload_share, worst, a.wired, a.counted);
            look(payload, steps, worst_payload, a.payload, a.counted_payload);
        }
    }
}

}  // namespace coll_wire
