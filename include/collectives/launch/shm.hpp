// SPDX-License-Identifier: BSD-3-Clause
// Starts a job whose ranks are child processes of this one.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/core/text.hpp>
#include <collectives/launch/children.hpp>
#include <collectives/transport/shm.hpp>

#include <cstring>
#include <exception>
#include <string>

namespace collectives::shm {

using communicator = collectives::communicator<transport>;

namespace detail {

/// A rank's whole life: what it throws is left where the parent finds it. Gives its exit status.
template <class Communicator, class F>
int live(job const& shared, rank_t r, F& f) {
    auto const& state = shared.state();
    auto const failed = [&](char const* why) {
        auto& text = state.report_of(r).text;
        std::strncpy(text.data(), why, text.size() - 1);
        state.note_failure(r);
        state.depart(r, shared::life::left, 0);
        return 1;
    };
    try {
        Communicator comm(shared.rank(r));
        f(comm);
    } catch (std::exception const& e) { return failed(e.what()); } catch (...) {
        return failed("an exception that is no std::exception");
    }
    state.depart(r, shared::life::left, 0);
    return 0;
}

}  // namespace detail

/// Calls f(comm) in `size` child processes at once and returns when all have ended. What they write
/// to captured variables is lost; stdio is flushed before the fork and at a child's end, and no
/// static destructors run there. Call it from a single-threaded program.
///
/// Throws run_error for the rank that failed first: it threw, exited, or was ended by a signal.
/// Once a rank has failed, those that have not ended 5 seconds later are killed.
template <class F, class Communicator = communicator>
void run(int size, F&& f) {
    if (size < 1) { throw usage_error(text_of("shm::run: ", size, " ranks")); }
    job const shared(size);
    children ranks(shared.state());
    for (rank_t r = 0; r < size; ++r) {
        ranks.start(r, [&] { return detail::live<Communicator>(shared, r, f); });
    }
    ranks.wait();
}

}  // namespace collectives::shm
