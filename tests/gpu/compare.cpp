// SPDX-License-Identifier: BSD-3-Clause
// Times on one GPU beside those of other algorithms, and for `run` beside those of other libraries.
#include "checks.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <ranges>
#include <string>

namespace {

using namespace gpu;

/// `automatic` against the best algorithm that is named, at each size.
template <class Comm>
void choice_of(Comm& comm, std::string const& where) {
    double worst = 10;
    for (std::size_t const bytes :
         {std::size_t{4}, std::size_t{1024}, mib / 16, mib, 16 * mib, 256 * mib}) {
        auto buffer = comm.template allocate<float>(bytes / sizeof(float));
        coll::any_algorithm const all[] = {coll::automatic{}, coll::one_shot{}, coll::two_shot{},
                                           coll::ring{}, coll::leaders{comm.size()}};
        std::map<std::string, double> least;  // in turn, for the machine changes
        for (int round = 0; round < 3; ++round) {
            for (auto const& a : all) {
                auto const time = seconds(bytes < mib ? 51 : 11, [&] {
                    comm.all_reduce(buffer, coll::sum{},
                                    {.algorithm = a, .timeout = std::chrono::seconds(30)});
                });
                comm.barrier();
                auto const place = least.try_emplace(coll::name(a), time).first;
                place->second = std::min(place->second, time);
            }
        }
        for (auto const& [name, time] : least) {
            if (comm.rank() != 0) { break; }
            control(where + ", " + std::to_string(bytes) + " bytes: " + name, 1e6 * time, "us");
        }
        auto const own = least.extract(coll::name(all[0])).mapped();
        auto const best = std::ranges::min(std::views::values(least));
        worst = std::min(worst, best / own);
    }
    if (comm.rank() == 0) {
        report("automatic's speed over the best algorithm's, worst size, " + where, worst, "", '>',
               0.9);
    }
}
void choice() {
    for (int const size : {2, 4, 8}) {
        on_threads(size, [=](auto& comm) { choice_of(comm, std::to_string(size) + " threads"); });
    }
    coll::shm::run(4, [](auto& base) {
        auto comm = coll::cuda::communicator(base, 0);
        choice_of(comm, "4 processes");
    });
}

/// What others are compared with: seconds of one all_reduce of as many bytes, over processes.
void for_peers() {
    for (int const size : {2, 4, 8}) {
        coll::shm::run(size, [&](auto& base) {
            auto comm = coll::cuda::communicator(base, 0);
            for (std::size_t bytes = 1024; bytes <= 1024 * mib; bytes *= 32) {
                auto buffer = comm.template allocate<float>(bytes / sizeof(float));
                auto const time = seconds(bytes < 16 * mib ? 101 : 11, [&] {
                    comm.all_reduce(buffer, coll::sum{}, {.timeout = std::chrono::seconds(30)});
                });
                comm.barrier();
                if (comm.rank() == 0) {
                    control("ours, " + std::to_string(size) + " processes, " +
                                std::to_string(bytes) + " bytes",
                            1e6 * time, "us");
                }
            }
        });
    }
}

}  // namespace

int main(int argc, char** argv) {
    return gpu::run_check(argc, argv, {{"1_choice", choice}, {"2_peers", for_peers}});
}
