// SPDX-License-Identifier: BSD-3-Clause
// What each error means, and how the ranks that live go on after one has died.
#include <collectives/collectives.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <utility>
#include <vector>

namespace coll = collectives;

namespace {

void work(coll::communicator& comm) {
    // A mistake that one rank can see alone is found before anything is sent. Nothing is broken.
    std::vector<float> data(100, 1), shorter(99);
    try {
        comm.all_reduce(data, shorter);
    } catch (coll::usage_error const& e) {
        if (comm.rank() == 0) { std::printf("usage error: %s\n", e.what()); }
    }

    // A rank that cannot go on says so, and all ranks stop waiting. Nobody is lost.
    if (comm.rank() == 1) { comm.abort("no more input"); }
    try {
        comm.barrier();
        throw std::runtime_error("a barrier without rank 1");
    } catch (coll::error const& e) {
        if (comm.rank() == 0) { std::printf("aborted: %s\n", e.what()); }
    }
    auto again = comm.shrink();  // the same ranks: the communicator of the abort is broken

    if (again.rank() == 2) { std::raise(SIGKILL); }
    try {
        again.all_reduce(data, coll::sum{}, {.timeout = std::chrono::seconds(5)});
        throw std::runtime_error("a sum without rank 2");
    } catch (coll::peer_lost_error const& e) {  // of which rank, says e.peer()
        if (again.rank() == 0) { std::printf("peer lost: %s\n", e.what()); }
        if (e.peer() != 2) { throw; }
    }

    auto rest = again.shrink();  // the ranks that live, in the old order
    data.assign(100, 1);
    rest.all_reduce(data);
    if (data != std::vector<float>(100, 3)) { throw std::runtime_error("a wrong sum"); }
    if (rest.rank() == 0) { std::printf("%d ranks go on\n", rest.size()); }
}

}  // namespace

int main() {
    try {
        coll::shm::run(4, work);
    } catch (coll::run_error const& e) {  // `run` tells of the death once the others have ended
        std::printf("%s\n", e.what());
        return e.rank() == 2 && e.signal() == SIGKILL ? 0 : 1;
    }
    return 1;
}
