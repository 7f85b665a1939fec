// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/launch/threads.hpp>
#include <collectives/transport/model.hpp>
#include <collectives/transport/threads.hpp>

#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace collectives::inline v0::threads::detail {

[[gnu::cold]] COLLECTIVES_INLINE void run(int size, function_ref<void(communicator&)> body) {
    if (size < 1) { throw usage_error(text_of("threads::run: ", size, " ranks")); }
    job const memory(size);
    auto const& state = memory.state();
    std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(size));
    auto const fail = [&](rank_t r) {
        thrown[static_cast<std::size_t>(r)] = std::current_exception();
        state.note_failure(r);
    };
    auto const live = [&](rank_t r) {
        try {
            communicator comm(erase(memory.rank(r)));
            body(comm);
        } catch (...) { fail(r); }
        state.depart(r, shared::life::left, 0);
    };
    std::vector<std::thread> ranks;
    try {
        for (rank_t r = 0; r < size; ++r) { ranks.emplace_back(live, r); }
    } catch (...) {  // no more threads: the others miss the ranks that never came
        for (auto r = static_cast<rank_t>(ranks.size()); r < size; ++r) {
            fail(r);
            state.depart(r, shared::life::left, 0);
        }
    }
    for (auto& t : ranks) { t.join(); }
    rank_t first = 0;
    for (rank_t r = 1; r < size; ++r) {
        if (state.failed_before(r, first)) { first = r; }
    }
    if (auto const& why = thrown[static_cast<std::size_t>(first)]) { std::rethrow_exception(why); }
}

}  // namespace collectives::threads::detail
