// SPDX-License-Identifier: BSD-3-Clause
// What travels in each round, from the recorded schedules of all ranks.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/schedule/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace collectives::inline v0::drawing {

/// Chunks that travel from one rank to another in one round. `sent` differs from `received` only
/// in all_to_all, where the sender names blocks of its input and the receiver blocks of its output.
struct transfer {
    rank_t from = 0;
    rank_t to = 0;
    chunk_range sent{};
    chunk_range received{};
    bool adds = false;  ///< reduced into the receiver's value; otherwise copied over it
};

/// Throws error where a step has a round, chunks or a peer that do not exist.
inline void expect_steps_exist(std::span<schedule const> ranks) {
    for (auto const& s : ranks) {
        for (auto const& step : s.steps) {
            auto const [first, count] = step.chunks;
            if (step.round < 0 || step.round >= s.rounds) {
                throw_error<error>("rank ", s.rank, " names a round ", step.round);
            }
            if (first < 0 || first >= s.chunks || count < 0 || count > s.chunks) {
                throw_error<error>("rank ", s.rank, " names ", count, " chunks from ", first,
                                   " on in round ", step.round, ", but the chunks are 0 to ",
                                   s.chunks - 1);
            }
            if (step.peer < 0 || step.peer >= s.size) {
                bool const sends = step.what == verb::send;
                throw_error<error>("rank ", s.rank, sends ? " sends" : " waits", " in round ",
                                   step.round, sends ? " to rank " : " for rank ", step.peer,
                                   ", but the ranks are 0 to ", s.size - 1);
            }
        }
    }
}

/// The transfers of each round, by sender, then receiver. `ranks[r]` is rank r's schedule, whose
/// rounds need not ascend. Messages never overtake. Throws error where a receive has no send or a
/// send no receive.
inline std::vector<std::vector<transfer>> transfers_of(std::span<schedule const> ranks) {
    expect_steps_exist(ranks);
    std::map<std::tuple<int, int, int>, std::deque<chunk_range>> sent;
    for (auto const& s : ranks) {
        for (auto const& step : s.steps) {
            if (step.what == verb::send) {
                sent[{step.round, s.rank, step.peer}].push_back(step.chunks);
            }
        }
    }
    std::vector<std::vector<transfer>> result(static_cast<std::size_t>(ranks[0].rounds));
    for (auto const& s : ranks) {
        for (auto const& step : s.steps) {
            if (step.what == verb::send) { continue; }
            auto& queue = sent[{step.round, step.peer, s.rank}];
            if (queue.empty()) {
                throw_error<error>("rank ", s.rank, " waits in round ", step.round, " for rank ",
                                   step.peer, ", which sends it nothing");
            }
            result[static_cast<std::size_t>(step.round)].push_back(
                {step.peer, s.rank, queue.front(), step.chunks, step.what == verb::recv_reduce});
            queue.pop_front();
        }
    }
    for (auto const& [key, queue] : sent) {
        if (queue.empty()) { continue; }
        auto const [round, from, to] = key;
        throw_error<error>("rank ", from, " sends in round ", round, " to rank ", to,
                           ", which does not receive it");
    }
    for (auto& round : result) {
        std::stable_sort(round.begin(), round.end(), [](auto const& a, auto const& b) {
            return std::tie(a.from, a.to) < std::tie(b.from, b.to);
        });
    }
    return result;
}

}  // namespace collectives
