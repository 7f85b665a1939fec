// SPDX-License-Identifier: BSD-3-Clause
// A rank for the test of collrun: meets the others as it is told, and says so. Usage: shm | join |
// meet
#include <collectives/collectives.hpp>
#include <collectives/launch/meet.hpp>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <span>
#include <string_view>

namespace coll = collectives;

int main(int argc, char** argv) {
    try {
        auto const how = std::string_view(argc == 2 ? argv[1] : "");
        if (how == "shm" || how == "join") {
            auto comm = how == "shm" ? coll::shm::join() : coll::join();
            int ranks = 1;
            comm.all_reduce(std::span(&ranks, 1));
            std::printf("rank %d counts %d\n", comm.rank(), ranks);
            return 0;
        }
        auto ranks = coll::meet();
        auto const came = ranks.all_gather({}, coll::steady::now() + std::chrono::seconds(10));
        std::printf("rank %d met %zu\n", ranks.rank(), came.size());
    } catch (std::exception const& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
