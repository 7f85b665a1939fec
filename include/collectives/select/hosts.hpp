// SPDX-License-Identifier: BSD-3-Clause
// Which ranks share a host, and what of a schedule goes from host to host.
#pragma once

#include <collectives/core/text.hpp>
#include <collectives/schedule/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace collectives::inline v0 {

/// The hosts of a communicator's ranks, equal on all of them.
class host_layout {
public:
    /// Nothing is known of hosts: as if all ranks shared one.
    host_layout() = default;
    /// `host_of` holds, for each rank, a number of its host.
    [[gnu::cold]] explicit host_layout(std::vector<int> const& host_of) {
        std::vector<int> known,
            ranks;  // of each host: its number, and how many it has
        for (auto const h : host_of) {
            auto const at = std::find(known.begin(), known.end(), h) - known.begin();
            if (static_cast<std::size_t>(at) == known.size()) {
                known.push_back(h);
                ranks.push_back(0);
            }
            ++ranks[static_cast<std::size_t>(at)];
            host_of_.push_back(static_cast<int>(at));
        }
        if (ranks.size() < 2) { return; }
        hosts_ = static_cast<int>(ranks.size());
        auto const [fewest, most] = std::minmax_element(ranks.begin(), ranks.end());
        if (*fewest != *most) {
            disorder_ = text_of("hosts have from ", *fewest, " to ", *most, " ranks");
        } else if (!std::is_sorted(host_of_.begin(), host_of_.end())) {
            disorder_ = "the ranks of a host are not consecutive";
        } else {
            ranks_per_host_ = *most;
        }
    }

    int hosts() const { return hosts_; }
    /// Of a rank, counted from 0 in the order of the ranks.
    int host(rank_t r) const { return hosts_ == 1 ? 0 : host_of_[static_cast<std::size_t>(r)]; }
    /// Where there are several hosts, with as many ranks each and these consecutive; else 0.
    int ranks_per_host() const { return ranks_per_host_; }
    /// Why several hosts have no such number; else empty.
    std::string const& disorder() const { return disorder_; }

private:
    int hosts_ = 1;
    int ranks_per_host_ = 0;
    std::vector<int> host_of_;
    std::string disorder_;
};

/// What of a schedule goes from host to host.
struct crossing {
    int rounds = 0;       // in which anything does
    double messages = 0;  // that the busiest rank sends or receives
    double moved = 0;     // over the rounds, by the host that sends or receives most in each; bytes
                          // by the vector's bytes
};

inline crossing crossing_of(std::vector<schedule> const& all, host_layout const& hosts) {
    crossing result;
    if (hosts.hosts() == 1) { return result; }
    auto const ways = 2 * static_cast<std::size_t>(hosts.hosts());  // out of each host, and in
    std::vector<double> moved(ways * static_cast<std::size_t>(all.front().rounds));
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
        result.messages = std::max({result.messages, sent, received});
    }
    for (auto round = moved.begin(); round != moved.end();) {
        auto const end = round + static_cast<std::ptrdiff_t>(ways);
        auto const most = *std::max_element(round, end);
        if (most > 0) { ++result.rounds; }
        result.moved += most;
        round = end;
    }
    return result;
}

}  // namespace collectives
