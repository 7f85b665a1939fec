// SPDX-License-Identifier: BSD-3-Clause
// How processes that share memory go on after a loss: in a part of their file that no other process
// has mapped.
#pragma once

#include <collectives/core/owned.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/transport/shm.hpp>

#include <cstddef>

namespace collectives::inline v0::shm {

[[gnu::cold]] COLLECTIVES_INLINE shared_pointer<transport> transport::renew(board& broken,
                                                                            loss const& of) {
    auto const& file = memory().file();
    auto const& all = of.survivors;
    auto const n = static_cast<int>(all.size());
    owned<job> next;
    std::size_t mine = 0;
    auto const where = successor_of(broken, of, [&] {
        mine = job::reserve(file, n);
        next = make_owned<job>(n, shared::memory_file::later_part{file, mine}, true);
        auto const& state = next->state();
        state.header().processors.store(processors());
        for (std::size_t i = 0; i < all.size(); ++i) {
            auto& its = state.status(static_cast<rank_t>(i));
            its.pid.store(of_job().status(all[i]).pid.load());
            its.state.store(gone(all[i]) ? shared::life::died : shared::life::running);
        }
        return mine;
    });
    if (where != mine) {
        if (next) { next->give_back(); }
        next = make_owned<job>(n, shared::memory_file::later_part{file, where}, false);
    }
    auto result = next->rank(static_cast<rank_t>(all.index_of(rank())), {}, true);
    result->leave_at_end();
    return result;
}

}  // namespace collectives::shm
