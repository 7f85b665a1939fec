// SPDX-License-Identifier: BSD-3-Clause
// What fusion costs: a step of many tensors against one all-reduce of their total with two copies,
// against pack, reduce, unpack by hand, and against no fusion. The least of alternating runs, of
// the slowest rank, since all that disturbs makes them longer.
#include "resnet50.hpp"

#include <collectives/collectives.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace coll = collectives;

namespace {

/// Seconds of the slowest rank: the least of `runs` for each of the bodies, which take turns. Each
/// is timed the second time in a row, with the caches as it leaves them itself.
template <std::size_t N, class Run>
std::array<double, N> take_turns(auto& comm, int runs, Run const& run) {
    std::array<double, N> least;
    least.fill(1e9);
    for (int i = 0; i < runs; ++i) {
        for (std::size_t k = 0; k < N; ++k) {
            run(k);
            comm.barrier();
            auto const start = std::chrono::steady_clock::now();
            run(k);
            std::array seconds{
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
            comm.all_reduce(seconds, coll::max{});
            least[k] = std::min(least[k], seconds[0]);
        }
    }
    return least;
}

void measure(coll::communicator& comm, char const* name, std::vector<std::size_t> const& counts,
             int runs) {
    std::vector<std::vector<float>> tensors;
    std::size_t total = 0;
    for (auto const n : counts) {
        tensors.emplace_back(n, 1.0F);
        total += n;
    }
    auto whole = comm.allocate<float>(total);
    auto by_hand = comm.allocate<float>(total);
    std::vector<float> own(total, 1.0F);
    auto const bytes = total * sizeof(float);
    coll::fusion_buffer one(comm, {.threshold = bytes});
    coll::fusion_buffer usual(comm);
    coll::fusion_buffer none(comm, {.threshold = 0});
    auto const step = [&](coll::fusion_buffer& fusion) {
        for (auto& t : tensors) { (void)fusion.add(t); }
        fusion.flush();
    };
    auto const t = take_turns<6>(comm, runs, [&](std::size_t what) {
        switch (what) {
            case 0: step(one); break;
            case 1: comm.all_reduce(whole); break;
            case 2:
                std::memcpy(whole.data(), own.data(), bytes);
                std::memcpy(own.data(), whole.data(), bytes);
                break;
            case 3: {
                auto* at = by_hand.data();
                for (auto const& v : tensors) {
                    std::memcpy(at, v.data(), v.size() * sizeof(float));
                    at += v.size();
                }
                comm.all_reduce(by_hand);
                at = by_hand.data();
                for (auto& v : tensors) {
                    std::memcpy(v.data(), at, v.size() * sizeof(float));
                    at += v.size();
                }
                break;
            }
            case 4: step(usual); break;
            default: step(none);
        }
    });
    auto const budget = static_cast<double>(counts.size()) * 100e-9 + 1.2 * (t[1] + t[2]);
    if (comm.rank() != 0) { return; }
    std::printf(
        "%-22s %d ranks, %5zu tensors, %6.1f MB: fused %8.1f us, %.2f of the budget, "
        "%.3f of by hand; default threshold %8.1f us; not fused %8.1f us; "
        "all_reduce %8.1f us, copies %8.1f us\n",
        name, comm.size(), counts.size(), static_cast<double>(bytes) / 1e6, t[0] * 1e6,
        t[0] / budget, t[0] / t[3], t[4] * 1e6, t[5] * 1e6, t[1] * 1e6, t[2] * 1e6);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    int const runs = argc > 1 ? std::atoi(argv[1]) : 41;
    for (int const ranks : {2, 4}) {
        coll::shm::run(ranks, [&](auto& comm) {
            measure(comm, "10,000 x 64 floats", std::vector<std::size_t>(10'000, 64), runs);
            auto const all = bench::resnet50();
            std::vector<std::size_t> small;
            for (auto const n : all) {
                if (n <= 2048) { small.push_back(n); }
            }
            measure(comm, "ResNet-50's small ones", small, runs);
            measure(comm, "ResNet-50", all, runs / 3 + 1);
        });
    }
}
