// SPDX-License-Identifier: BSD-3-Clause
// Starts a job whose ranks are threads of this process.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/transport/threads.hpp>

#include <atomic>
#include <cstddef>
#include <exception>
#include <string>
#include <thread>
#include <vector>

namespace collectives::threads {

using communicator = collectives::communicator<transport>;

/// Calls f(comm) on `size` threads at once and returns when all have returned. Throws the exception
/// of the rank that failed first; those of the others are its consequences.
template <class F>
void run(int size, F&& f) {
    if (size < 1) { throw usage_error("threads::run: " + std::to_string(size) + " ranks"); }
    job const shared(size);
    std::exception_ptr first;
    std::vector<std::thread> ranks;
    auto const body = [&](rank_t r) {
        auto const& state = shared.state();
        try {
            communicator comm(shared.rank(r));
            f(comm);
        } catch (...) {
            if (state.header().failures.fetch_add(1) == 0) { first = std::current_exception(); }
        }
        state.depart(r, shared::life::left, 0);
    };
    try {
        for (rank_t r = 0; r < size; ++r) { ranks.emplace_back(body, r); }
    } catch (...) {  // no more threads: the ranks that never came are missed by the others
        if (shared.state().header().failures.fetch_add(1) == 0) {
            first = std::current_exception();
        }
        for (auto r = static_cast<rank_t>(ranks.size()); r < size; ++r) {
            shared.state().depart(r, shared::life::left, 0);
        }
    }
    for (auto& t : ranks) { t.join(); }
    if (first) { std::rethrow_exception(first); }
}

}  // namespace collectives::threads
