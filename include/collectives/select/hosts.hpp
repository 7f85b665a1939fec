// SPDX-License-Identifier: BSD-3-Clause
// The hosts of the ranks, and what a schedule sends between hosts.
#pragma once

#include <collectives/core/lean_list.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/text.hpp>
#include <collectives/schedule/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

namespace collectives::inline v0::detail {

/// The hosts of a communicator's ranks. Equal on all of them.
class host_layout {
public:
    /// Without knowledge of hosts: as if all ranks shared one.
    host_layout() = default;
    /// `host_of[r]` is the number of rank r's host.
    [[gnu::cold]] explicit host_layout(lean_vector<int> const& host_of) {
        lean_vector<int> known, ranks;  // per host: its number, and how many ranks it has
        for (auto const h : host_of) {
            auto const at = known.index_of(h);
            if (at == known.size()) {
                known.push_back(h);
                ranks.push_back(0);
            }
            ++ranks[at];
            host_of_.push_back(static_cast<int>(at));
        }
        if (ranks.size() < 2) { return; }
        hosts_ = static_cast<int>(ranks.size());
        fewest_ = most_ = ranks.front();
        for (auto const n : ranks) {
            fewest_ = std::min(fewest_, n);
            most_ = std::max(most_, n);
        }
        for (std::size_t r = 1; r < host_of_.size(); ++r) {
            if (host_of_[r] < host_of_[r - 1]) { consecutive_ = false; }
        }
    }

    int hosts() const { return hosts_; }
    /// The host of a rank, counted from 0 in the order of the ranks.
    int host(rank_t r) const { return hosts_ == 1 ? 0 : host_of_[static_cast<std::size_t>(r)]; }
    /// The ranks per host if there are several hosts with equally many consecutive ranks; else 0.
    int ranks_per_host() const { return fewest_ == most_ && consecutive_ ? most_ : 0; }
    /// Why several hosts have no such number; else empty.
    [[gnu::cold]] std::string disorder() const {
        if (fewest_ != most_) {
            return text_of("hosts have from ", fewest_, " to ", most_, " ranks");
        }
        return consecutive_ ? "" : "the ranks of a host are not consecutive";
    }

private:
    int hosts_ = 1;
    int fewest_ = 0, most_ = 0;  // ranks on one of several hosts
    bool consecutive_ = true;    // the ranks of each host
    lean_vector<int> host_of_;
};

/// What a schedule sends between hosts.
struct crossing {
    int rounds = 0;       // the rounds with messages between hosts
    double messages = 0;  // what the busiest rank sends, or receives, between hosts
    double moved = 0;     // what the busiest host of each round sends, or receives, summed over the
                          // rounds, in lengths of the vector
};

[[gnu::cold]] inline crossing crossing_of(lean_list<schedule> const& all,
                                          host_layout const& hosts) {
    crossing result;
    if (hosts.hosts() == 1) { return result; }
    auto const ways = 2 * static_cast<std::size_t>(hosts.hosts());  // out of each host, and into it
    lean_vector<double> moved(ways * static_cast<std::size_t>(all.front().rounds));
    for (auto const& own : all) {
        auto const here = hosts.host(own.rank);
        double sent = 0, received = 0;
        for (auto const& s : own.steps) {
            if (hosts.host(s.peer) == here) { continue; }
            auto const sends = s.what == verb::send;
            ++(sends ? sent : received);
            auto const way = 2 * static_cast<std::size_t>(here) + (sends ? 0 : 1);
            moved[static_cast<std::size_t>(s.round) * ways + way] +=
                static_cast<double>(s.chunks.count) / own.chunks;
        }
        result.messages = std::max(result.messages, std::max(sent, received));
    }
    for (auto round = moved.begin(); round != moved.end();) {
        double most = 0;
        for (auto const* const end = round + ways; round != end; ++round) {
            most = std::max(most, *round);
        }
        if (most > 0) { ++result.rounds; }
        result.moved += most;
    }
    return result;
}

}  // namespace collectives::detail
