// SPDX-License-Identifier: BSD-3-Clause
// Predicts the time of an algorithm: its counted cost times prices.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/schedule/any_algorithm.hpp>
#include <collectives/select/hosts.hpp>
#include <collectives/select/machine_model.hpp>

#include <algorithm>
#include <cstddef>

namespace collectives::inline v0::detail {

/// The counted cost of an algorithm for one collective and size, per byte of the vector.
struct cost_profile {
    /// Bytes per byte of the vector. Moved bytes are those received, and those laid out once for
    /// all peers that receive them.
    struct work {
        double moved = 0, reduced = 0;
        double contended = 0;  // added to while a peer reads them
    };

    any_algorithm algorithm;
    int size = 1;
    int rounds = 0;
    double messages = 0;  // that the busiest rank sends or receives
    work critical;        // over the rounds, at the busiest rank
    work total;           // of all ranks
    crossing between;     // hosts

    /// Counts the steps of all ranks once. Root 0 stands for all roots, because the choice must not
    /// depend on what a rank asked before.
    [[gnu::cold]] static cost_profile of(any_algorithm a, collective what, int size,
                                         host_layout const& hosts = {}) {
        auto const unit = static_cast<std::size_t>(size) * 4096;
        auto const by_unit = [&](std::size_t bytes) {
            return static_cast<double>(bytes) / static_cast<double>(unit);
        };
        auto const cost = a.cost_of(size, unit, what);
        auto const all = a.record_all(what, size);
        cost_profile p{a, size, cost.rounds, 0, {}, {}, crossing_of(all, hosts)};
        work most;  // of what one rank lays out and adds to
        for (auto const& own : all) {
            double sends = 0, receives = 0;
            for (auto const& s : own.steps) { ++(s.what == verb::send ? sends : receives); }
            p.messages = std::max(p.messages, std::max(sends, receives));
            auto const its = laid_out(own);
            most.moved = std::max(most.moved, its.moved);
            most.contended = std::max(most.contended, its.contended);
            p.total.moved += its.moved;
            p.total.contended += its.contended;
        }
        p.total.moved += by_unit(cost.total);
        for (auto const& r : cost.ranks) { p.total.reduced += by_unit(r.reduced); }
        p.critical = {by_unit(cost.critical.bytes) + most.moved, by_unit(cost.critical.reduced),
                      most.contended};
        if (what == collective::reduce) {
            auto const& root = cost.ranks.front();
            p.critical.moved += fresh_sum * by_unit(root.received - root.reduced);
        }
        return p;
    }
    double seconds(machine_model const& m, std::size_t vector_bytes) const {
        auto const n = static_cast<double>(vector_bytes);
        auto const time_of = [&](work const& w) {
            if (vector_bytes <= m.small && m.small_byte != 0) {
                return n * (w.moved + w.reduced) * m.small_byte;
            }
            auto const moved = w.moved + (m.in_memory ? contention * w.contended : 0);
            return n * (moved * m.byte + w.reduced * m.reduced_byte);
        };
        auto const links = between.rounds * m.link_round + between.messages * m.link_message +
                           n * between.moved * m.link_byte;
        if (m.processors == 0 || size <= m.processors) {
            return m.call + rounds * m.round + messages * m.message + time_of(critical) + links;
        }
        auto const share = 1.0 / static_cast<double>(m.processors);
        return share * (size * (m.shared_call + rounds * m.shared_round) + time_of(total)) + links;
    }

private:
    /// The extra price of a finished sum that the root takes from another rank, in bytes moved for
    /// each of its bytes: that rank's processor has just changed it in its cache
    /// (docs/lab/measurements.md).
    static constexpr double fresh_sum = 0.5;
    /// The extra price of a byte that a rank adds to in the round in which a peer reads it, in
    /// bytes moved: both processors want its line, and who writes it takes it from the other's
    /// cache (docs/lab/measurements.md).
    static constexpr double contention = 1;

    /// Counts what a rank lays out for its peers, and what it adds to in a round in which it sends
    /// the same chunk; per byte of the vector. A value that goes to several peers counts once.
    [[gnu::cold]] static work laid_out(schedule const& own) {
        struct chunk_state {
            bool lies_there = false;
            int last_sent_in = -1, last_added_in = -1;  // rounds
        };
        lean_vector<chunk_state> chunks(static_cast<std::size_t>(own.chunks));
        int laid = 0, contended = 0;
        for (auto const& s : own.steps) {
            auto const sends = s.what == verb::send;
            for (int k = 0; k < s.chunks.count; ++k) {
                auto& its = chunks[static_cast<std::size_t>((s.chunks.first + k) % own.chunks)];
                if (sends && !its.lies_there) { ++laid; }
                its.lies_there = sends;
                auto& last = sends ? its.last_sent_in : its.last_added_in;
                if (s.what == verb::recv_copy || last == s.round) { continue; }
                last = s.round;
                if (its.last_sent_in == its.last_added_in) { ++contended; }
            }
        }
        auto const all = static_cast<double>(own.chunks);
        return {laid / all, 0, contended / all};
    }
};

}  // namespace collectives::detail
