// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/launch/children.hpp>
#include <collectives/launch/shm.hpp>
#include <collectives/transport/model.hpp>
#include <collectives/transport/shm.hpp>

#include <unistd.h>

#include <cstring>
#include <exception>

namespace collectives::inline v0::shm::detail {

/// A rank's whole life: what it throws is left where the parent finds it. Gives its exit status.
inline int live(job const& shared, rank_t r, function_ref<void(communicator&)> body) {
    auto const& state = shared.state();
    auto const process = ::getpid();
    auto const failed = [&](char const* why) {
        if (::getpid() != process) { return 1; }  // a child that the rank forked
        auto& text = state.report_of(r).text;
        std::strncpy(text.data(), why, text.size() - 1);
        state.note_failure(r);
        state.depart(r, shared::life::left, 0);
        return 1;
    };
    try {
        communicator comm(erase(shared.rank(r)));
        body(comm);
    } catch (std::exception const& e) { return failed(e.what()); } catch (...) {
        return failed("an exception that is no std::exception");
    }
    if (::getpid() == process) { state.depart(r, shared::life::left, 0); }
    return 0;
}

COLLECTIVES_INLINE void run(int size, function_ref<void(communicator&)> body) {
    if (size < 1) { throw_error<usage_error>("shm::run: ", size, " ranks"); }
    job const shared(size);
    children ranks(shared.state());
    for (rank_t r = 0; r < size; ++r) {
        ranks.start(r, [&] { return live(shared, r, body); });
    }
    ranks.wait();
}

}  // namespace collectives::shm::detail
