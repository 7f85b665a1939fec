// SPDX-License-Identifier: BSD-3-Clause
// Times on one GPU beside those of other algorithms, and for `run` beside those of other libraries.
#include "checks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <ranges>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace gpu;

/// The times of `automatic` and of named algorithms at one size, in turn, for the machine changes;
/// gives the best one's over automatic's. `call(options)` is one call.
template <class Comm, class Call>
double ratio_of(Comm& comm, std::string const& what, std::size_t bytes,
                std::vector<coll::any_algorithm> const& named, Call const& call) {
    std::map<std::string, double> least;
    auto const measure = [&](coll::any_algorithm a) {
        coll::options const how{.algorithm = a, .timeout = std::chrono::seconds(30)};
        auto const time = seconds(bytes < mib ? 51 : 11, [&] { call(how); });
        comm.barrier();
        auto const place = least.try_emplace(coll::name(a), time).first;
        place->second = std::min(place->second, time);
    };
    for (int round = 0; round < 3; ++round) {
        measure({});
        for (auto const& a : named) { measure(a); }
    }
    for (auto const& [name, time] : least) {
        if (comm.rank() != 0) { break; }
        control(what + ", " + std::to_string(bytes) + " bytes: " + name, 1e6 * time, "us");
    }
    auto const own = least.at(coll::name(coll::any_algorithm{}));
    return std::ranges::min(std::views::values(least)) / own;
}
void tell_worst(std::string const& what, double ratio) {
    report("automatic's speed over the best algorithm's, worst size, " + what, ratio, "", '>', 0.9);
}
constexpr auto sizes = std::to_array<std::size_t>({4, 1024, mib / 16, mib, 16 * mib, 256 * mib});

/// `automatic` against the best algorithm that is named, at each size.
template <class Comm>
void choice_of(Comm& comm, std::string const& where) {
    double worst = 1;
    for (auto const bytes : sizes) {
        auto buffer = comm.template allocate<float>(bytes / sizeof(float));
        auto const call = [&](auto const& how) { comm.all_reduce(buffer, coll::sum{}, how); };
        worst = std::min(worst, ratio_of(comm, where, bytes,
                                         {coll::one_shot{}, coll::two_shot{}, coll::ring{},
                                          coll::leaders{comm.size()}},
                                         call));
    }
    if (comm.rank() == 0) { tell_worst(where, worst); }
}
/// Likewise of what only moves: all outputs have so many bytes.
template <class Comm>
void moves_of(Comm& comm, std::string const& where) {
    double worst[] = {1, 1};
    for (auto const bytes : sizes) {
        auto whole = comm.template allocate<float>(bytes / sizeof(float));
        auto const own = coll::block(whole.size(), comm.size(), comm.rank());
        auto block = comm.template allocate<float>(coll::block(whole.size(), comm.size(), 0).size);
        auto const mine = std::span(block.data(), own.size);
        auto const gather = ratio_of(comm, where + ", all_gather", bytes,
                                     {coll::one_shot{}, coll::ring{}, coll::leaders{comm.size()}},
                                     [&](auto const& how) { comm.all_gather(mine, whole, how); });
        auto const cast = ratio_of(comm, where + ", broadcast", bytes,
                                   {coll::one_shot{}, coll::star{}, coll::leaders{comm.size()}},
                                   [&](auto const& how) { comm.broadcast(whole, 0, how); });
        worst[0] = std::min(worst[0], gather);
        worst[1] = std::min(worst[1], cast);
    }
    if (comm.rank() != 0) { return; }
    tell_worst(where + ", all_gather", worst[0]);
    tell_worst(where + ", broadcast", worst[1]);
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
void moves() {
    for (int const size : {2, 4, 8}) {
        on_threads(size, [=](auto& comm) { moves_of(comm, std::to_string(size) + " threads"); });
    }
    coll::shm::run(4, [](auto& base) {
        auto comm = coll::cuda::communicator(base, 0);
        moves_of(comm, "4 processes");
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
    return gpu::run_check(argc, argv,
                          {{"1_choice", choice}, {"2_peers", for_peers}, {"3_moves", moves}});
}
