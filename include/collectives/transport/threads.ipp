// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <collectives/transport/threads.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace collectives::inline v0::threads {

namespace detail {

/// The job in which survivors go on, until each of them has taken its place.
struct successor {
    job memory;
    std::atomic<std::size_t> to_come;
};

}  // namespace detail

[[gnu::cold]] COLLECTIVES_INLINE std::shared_ptr<transport> transport::renew(
    board& broken, std::vector<rank_t> const& survivors, steady::time_point until) {
    auto const n = static_cast<int>(survivors.size());
    std::unique_ptr<detail::successor> mine;
    auto const where = successor_of(broken, survivors, until, [&] {
        mine.reset(new detail::successor{job(n), survivors.size()});
        for (rank_t r = 0; r < n; ++r) {
            mine->memory.state().status(r).state.store(shared::life::running);
        }
        return reinterpret_cast<std::uintptr_t>(mine.get());
    });
    auto* const next = reinterpret_cast<detail::successor*>(static_cast<std::uintptr_t>(where));
    if (next == mine.get()) { static_cast<void>(mine.release()); }
    auto const place = std::find(survivors.begin(), survivors.end(), rank());
    auto result = next->memory.rank(static_cast<rank_t>(place - survivors.begin()));
    result->leave_at_end();
    if (next->to_come.fetch_sub(1) == 1) { delete next; }
    return result;
}

}  // namespace collectives::threads
