// SPDX-License-Identifier: BSD-3-Clause
// Schedules written by hand, for the tests of the checker.
#pragma once

#include <collectives/schedule/check.hpp>

#include <initializer_list>
#include <vector>

namespace hand_written {

namespace coll = collectives;
using coll::collective, coll::step, coll::verb;

/// What `check` says of one list of steps per rank.
inline coll::proof verdict(std::initializer_list<std::vector<step>> ranks, int chunks, int rounds,
                           collective what = collective::all_reduce, int root = 0) {
    std::vector<coll::schedule> all;
    for (auto const& steps : ranks) {
        all.push_back({what, static_cast<int>(ranks.size()), static_cast<int>(all.size()), root,
                       chunks, rounds, steps});
    }
    return coll::check(all);
}

inline step send(int round, int peer, int first = 0, int count = 1) {
    return {round, verb::send, peer, {first, count}};
}
inline step add(int round, int peer, int first = 0, int count = 1) {
    return {round, verb::recv_reduce, peer, {first, count}};
}
inline step copy(int round, int peer, int first = 0, int count = 1) {
    return {round, verb::recv_copy, peer, {first, count}};
}

}  // namespace hand_written
