// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/function_ref.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/service_thread.hpp>
#include <collectives/core/text.hpp>
#include <collectives/launch/threads.hpp>
#include <collectives/transport/model.hpp>
#include <collectives/transport/threads.hpp>

#include <cstddef>
#include <exception>
#include <thread>

namespace collectives::inline v0::threads::detail {

using collectives::detail::start_thread;

[[gnu::cold]] COLLECTIVES_INLINE void run(int size, function_ref<void(communicator&)> body) {
    if (size < 1) { throw_error<usage_error>("threads::run: ", size, " ranks"); }
    job const memory(size);
    auto const& state = memory.state();
    struct rank_thread {
        std::thread thread;
        std::exception_ptr thrown;
        function_ref<void(rank_t)> const* live = nullptr;
        rank_t rank = 0;
    };
    lean_vector<rank_thread> ranks(static_cast<std::size_t>(size));
    auto const fail = [&](rank_t r) {
        ranks[static_cast<std::size_t>(r)].thrown = std::current_exception();
        state.note_failure(r);
    };
    auto const live = [&](rank_t r) {
        try {
            communicator comm(erase(memory.rank(r)));
            body(comm);
        } catch (...) { fail(r); }
        state.depart(r, shared::life::left, 0);
    };
    function_ref<void(rank_t)> const by_rank = live;
    auto const take = [](void* its) {
        auto const& mine = *static_cast<rank_thread const*>(its);
        (*mine.live)(mine.rank);
    };
    rank_t started = 0;
    try {
        for (; started < size; ++started) {
            auto& one = ranks[static_cast<std::size_t>(started)];
            one.live = &by_rank;
            one.rank = started;
            one.thread = start_thread(take, &one);
        }
    } catch (...) {  // no more threads: the others miss the ranks that never came
        for (auto r = started; r < size; ++r) {
            fail(r);
            state.depart(r, shared::life::left, 0);
        }
    }
    for (auto& one : ranks) {
        if (one.thread.joinable()) { one.thread.join(); }
    }
    rank_t first = 0;
    for (rank_t r = 1; r < size; ++r) {
        if (state.failed_before(r, first)) { first = r; }
    }
    auto const& why = ranks[static_cast<std::size_t>(first)].thrown;
    if (why != nullptr) { std::rethrow_exception(why); }
}

}  // namespace collectives::threads::detail
