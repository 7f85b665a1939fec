// SPDX-License-Identifier: BSD-3-Clause
// A rank's schedule as tasks that wait for each other, as simulators of networks read them.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/schedule/cost.hpp>
#include <collectives/schedule/schedule.hpp>

#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::detail {

/// A message of a rank, or the additions that end a round.
struct task {
    enum class kind : std::uint8_t { send, receive, add } what = kind::add;
    int round = 0;
    rank_t peer = 0;                                  // of a message
    std::uint64_t bytes = 0;                          // sent, received, or added
    std::size_t number = 0;                           // the rank's tasks count from 1
    std::size_t first_awaited = 0, last_awaited = 0;  // the tasks that must end before; 0: none
};

/// Hands a rank's tasks to `visit`, in order. The messages of a round wait for the additions that
/// ended the round before, and additions for the messages of their round. `bytes` is the vector.
template <class Visit>
void each_task(schedule const& own, std::uint64_t bytes, Visit&& visit) {
    std::size_t number = 0, before = 0;  // before: the additions that ended the last round
    for (std::size_t i = 0; i < own.steps.size();) {
        auto const first = number + 1;
        auto const round = own.steps[i].round;
        std::uint64_t added = 0;
        for (; i < own.steps.size() && own.steps[i].round == round; ++i) {
            auto const& s = own.steps[i];
            auto const n = bytes_of(s.chunks, own.chunks, bytes);
            if (s.what == verb::recv_reduce) { added += n; }
            visit(task{s.what == verb::send ? task::kind::send : task::kind::receive, round, s.peer,
                       n, ++number, before, before});
        }
        visit(task{task::kind::add, round, own.rank, added, number + 1, first, number});
        before = ++number;
    }
}

/// What the additions of `t` take, in whole units of that in which a byte takes `per_byte`. Throws
/// usage_error where that is negative or too long for 63 bits.
inline std::uint64_t whole_time(task const& t, rank_t rank, double per_byte) {
    auto const time = static_cast<double>(t.bytes) * per_byte;
    if (!(time >= 0 && time < 0x1p63)) {
        throw_error<usage_error>("rank ", rank, " adds ", t.bytes,
                                 " bytes in a round, for a time that cannot be written");
    }
    return static_cast<std::uint64_t>(time + 0.5);
}

}  // namespace collectives::detail
