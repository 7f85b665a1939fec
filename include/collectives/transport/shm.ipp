// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <collectives/transport/shm.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace collectives::inline v0::shm {

[[gnu::cold]] COLLECTIVES_INLINE std::shared_ptr<transport> transport::renew(
    board& broken, std::vector<rank_t> const& survivors, steady::time_point until) {
    auto const& file = memory().file();
    auto const n = static_cast<int>(survivors.size());
    std::optional<job> next;
    std::size_t mine = 0;
    auto const make = [&] {
        mine = job::reserve(file, n);
        next.emplace(n, shared::memory_file::later_part{file, mine}, true);
        auto const& state = next->state();
        state.header().processors.store(processors());
        for (rank_t r = 0; r < n; ++r) {
            auto const& before = of_job().status(survivors[static_cast<std::size_t>(r)]);
            state.status(r).pid.store(before.pid.load());
            state.status(r).state.store(shared::life::running);
        }
        return mine;
    };
    auto const where = successor_of(broken, survivors, until, make);
    if (where != mine) { next.emplace(n, shared::memory_file::later_part{file, where}, false); }
    auto const place = std::find(survivors.begin(), survivors.end(), rank());
    auto result = next->rank(static_cast<rank_t>(place - survivors.begin()), {}, true);
    result->leave_at_end();
    return result;
}

}  // namespace collectives::shm
