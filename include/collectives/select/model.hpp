// SPDX-License-Identifier: BSD-3-Clause
// What an algorithm is predicted to take: its counted cost, priced.
#pragma once

#include <collectives/schedule/any_algorithm.hpp>

#include <algorithm>
#include <cstddef>

namespace collectives {

/// Prices in seconds. Where each rank has a processor, a round costs what its busiest rank does;
/// where ranks share processors, all that all ranks do is done by those, one rank after the other.
/// The defaults are those of cores that share a cache (docs/performance.md); see `tune`.
struct machine_model {
    double call = 0.1e-6;           // of a call, whatever it does
    double round = 0.15e-6;         // of a round, whatever travels in it
    double message = 0.03e-6;       // of each message a rank receives
    double byte = 0.035e-9;         // of each byte received
    double reduced_byte = 0.01e-9;  // of each byte added
    double shared_call = 0.9e-6;    // call and round, for each rank that shares a processor
    double shared_round = 0.65e-6;
    int processors = 0;  // that the ranks share; 0: one for each
};

/// The counted cost of an algorithm for one collective and size, per byte of the vector.
struct cost_profile {
    /// Bytes that are received and added, by the vector's bytes.
    struct work {
        double bytes = 0, reduced = 0;
    };

    any_algorithm algorithm;
    int size = 1;
    int rounds = 0;
    double messages = 0;  // that the busiest rank receives
    work critical;        // over the rounds, at the busiest rank
    work total;           // of all ranks

    /// Counts the steps of all ranks once.
    static cost_profile of(any_algorithm a, collective what, int size, rank_t root) {
        auto const unit = static_cast<std::size_t>(size) * 4096;
        auto const by_unit = [&](std::size_t bytes) {
            return static_cast<double>(bytes) / static_cast<double>(unit);
        };
        auto const cost = a.cost_of(size, unit, what, root);
        cost_profile p{a, size, cost.rounds, 0, {}, {}};
        p.critical = {by_unit(cost.critical.bytes), by_unit(cost.critical.reduced)};
        p.total.bytes = by_unit(cost.total);
        for (auto const& r : cost.ranks) { p.total.reduced += by_unit(r.reduced); }
        for (rank_t const r : {root, size - 1}) {
            auto const steps = a.record(what, r, size, root).steps;
            auto const sends = std::count_if(steps.begin(), steps.end(),
                                             [](auto const& s) { return s.what == verb::send; });
            p.messages = std::max({p.messages, static_cast<double>(sends),
                                   static_cast<double>(steps.size()) - static_cast<double>(sends)});
        }
        return p;
    }
    double seconds(machine_model const& m, std::size_t vector_bytes) const {
        auto const n = static_cast<double>(vector_bytes);
        auto const time_of = [&](work const& w) {
            return n * (w.bytes * m.byte + w.reduced * m.reduced_byte);
        };
        if (m.processors == 0 || size <= m.processors) {
            return m.call + rounds * m.round + messages * m.message + time_of(critical);
        }
        auto const share = 1.0 / static_cast<double>(m.processors);
        return share * (size * (m.shared_call + rounds * m.shared_round) + time_of(total));
    }
};

}  // namespace collectives
