// SPDX-License-Identifier: BSD-3-Clause
// How threads go on after a loss.
#pragma once

#include <collectives/core/function_ref.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/transport/threads.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::threads {

namespace detail {

/// The job in which survivors go on, until each of them has taken its place.
struct successor {
    job memory;
    std::atomic<std::size_t> to_come;

    /// Of the survivors `all`; those for which `gone` holds are lost by now.
    [[gnu::cold]] successor(lean_vector<rank_t> const& all, function_ref<bool(rank_t)> gone)
        : memory(static_cast<int>(all.size())), to_come(all.size()) {
        auto const& state = memory.state();
        for (std::size_t i = 0; i < all.size(); ++i) {
            auto const r = static_cast<rank_t>(i);
            if (gone(all[i])) {
                state.depart(r, shared::life::left, 0);
                --to_come;
            } else {
                state.status(r).state.store(shared::life::running);
            }
        }
    }
};

/// A survivor's claim to its place. If it cannot take it, it departs for the others to see.
struct claim {
    successor* from;
    rank_t rank;
    bool taken = false;
    [[gnu::cold]] ~claim() {
        if (!taken) { from->memory.state().depart(rank, shared::life::left, 0); }
        if (from->to_come.fetch_sub(1) == 1) { delete from; }
    }
};

}  // namespace detail

[[gnu::cold]] COLLECTIVES_INLINE shared_pointer<transport> transport::renew(board& broken,
                                                                            loss const& of) {
    auto const& all = of.survivors;
    owned<detail::successor> mine;
    auto const where = successor_of(broken, of, [&] {
        mine.reset(new detail::successor(all, [this](rank_t r) { return gone(r).has_value(); }));
        return reinterpret_cast<std::uintptr_t>(mine.get());
    });
    auto* const next = reinterpret_cast<detail::successor*>(static_cast<std::uintptr_t>(where));
    if (next == mine.get()) { static_cast<void>(mine.release()); }
    detail::claim my_place{next, static_cast<rank_t>(all.index_of(rank()))};
    auto result = next->memory.rank(my_place.rank);
    result->leave_at_end();
    my_place.taken = true;
    return result;
}

}  // namespace collectives::threads
