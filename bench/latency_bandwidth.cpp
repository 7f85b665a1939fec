// SPDX-License-Identifier: BSD-3-Clause
// Two pinned processes: a 4-byte all-reduce beside a cache line's round trip, and a 64 MiB one in
// allocated memory beside two concurrent memcpys. Controls and samples alternate in one run; what
// counts is the median of the ratios. Ends with 1 if a ratio misses what the library promises.
#include <collectives/collectives.hpp>

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <vector>

namespace coll = collectives;

namespace {

using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point start) {
    return std::chrono::duration<double>(clock_type::now() - start).count();
}

double median(std::vector<double> v) {
    std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
    return v[v.size() / 2];
}

void pin(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(core), &set);
    if (::sched_setaffinity(0, sizeof set, &set) != 0) { std::perror("sched_setaffinity"); }
}

/// Seconds for a cache line to go to the other rank and back, from words in shared memory.
template <class Comm>
double round_trip(Comm& comm, coll::buffer<std::uint64_t, typename Comm::transport_type>& mine) {
    constexpr std::uint64_t turns = 20'000;
    // Both ranks use rank 0's words: its location goes to rank 1 as a number.
    auto& t = comm.transport();
    std::uint64_t where = t.reach(mine.data(), 256);
    comm.broadcast(std::span(&where, 1), 0);
    auto* const words = reinterpret_cast<std::uint64_t*>(t.at(where));
    std::atomic_ref<std::uint64_t> ping(words[0]), pong(words[16]);
    if (comm.rank() == 0) { ping = 0, pong = 0; }
    comm.barrier();
    auto const start = clock_type::now();
    for (std::uint64_t i = 1; i <= turns; ++i) {
        if (comm.rank() == 0) {
            ping.store(i, std::memory_order_release);
            while (pong.load(std::memory_order_acquire) != i) {}
        } else {
            while (ping.load(std::memory_order_acquire) != i) {}
            pong.store(i, std::memory_order_release);
        }
    }
    auto const time = seconds_since(start) / static_cast<double>(turns);
    comm.barrier();
    return time;
}

template <class Comm>
double small_all_reduce(Comm& comm) {
    constexpr int turns = 20'000;
    float x = 1;
    comm.barrier();
    auto const start = clock_type::now();
    for (int i = 0; i < turns; ++i) { comm.all_reduce(std::span(&x, 1), coll::max{}); }
    return seconds_since(start) / turns;
}

/// The slower rank's time: what an iteration takes.
template <class Comm>
double slowest(Comm& comm, double time) {
    comm.all_reduce(std::span(&time, 1), coll::max{});
    return time;
}

}  // namespace

int main() {
    if (coll::usable_processors() < 2) {
        std::puts("skipped: needs two processors");
        return 77;
    }
    coll::shm::run(2, [](auto& comm) {
        pin(comm.rank());
        auto words = comm.template allocate<std::uint64_t>(64);
        bool met = true;
        std::vector<double> latency_ratio, trips, smalls;
        for (int i = 0; i < 15; ++i) {
            auto const trip = slowest(comm, round_trip(comm, words));
            auto const small = slowest(comm, small_all_reduce(comm));
            trips.push_back(trip * 1e9);
            smalls.push_back(small * 1e9);
            latency_ratio.push_back(small / trip);
        }
        if (comm.rank() == 0) {
            std::printf(
                "4 B all_reduce, 2 pinned processes: %.0f ns; cache-line round trip %.0f ns; "
                "ratio %.2f\n",
                median(smalls), median(trips), median(latency_ratio));
        }
        for (std::size_t const mib : {1U, 4U, 16U, 64U}) {
            auto const n = mib << 18;  // floats
            auto in = comm.template allocate<float>(n);
            auto out = comm.template allocate<float>(n);
            std::fill(in.begin(), in.end(), 1.0F);
            for (auto const algorithm :
                 {coll::any_algorithm(coll::automatic{}), coll::any_algorithm(coll::two_shot{}),
                  coll::any_algorithm(coll::circulant{})}) {
                std::vector<double> ratio, reduces, copies;
                auto const repeats = mib >= 16 ? 9 : 31;
                for (int i = 0; i < repeats; ++i) {
                    comm.barrier();
                    auto start = clock_type::now();
                    std::memcpy(out.data(), in.data(), n * sizeof(float));
                    auto const copy = slowest(comm, seconds_since(start));
                    comm.barrier();
                    start = clock_type::now();
                    comm.all_reduce(in, out, coll::sum{}, {.algorithm = algorithm});
                    auto const reduce = slowest(comm, seconds_since(start));
                    if (out[n - 1] != 2.0F) { throw std::runtime_error("wrong sum"); }
                    ratio.push_back(copy / reduce);
                    reduces.push_back(reduce * 1e6);
                    copies.push_back(copy * 1e6);
                }
                if (mib == 64 && algorithm.is_automatic()) { met = met && median(ratio) >= 0.5; }
                if (comm.rank() == 0) {
                    auto const name = coll::name(algorithm);
                    std::printf(
                        "%2zu MiB all_reduce in allocated memory, %.*s: %.0f us; two memcpys "
                        "%.0f us; share of memcpy's rate %.2f\n",
                        mib, static_cast<int>(name.size()), name.data(), median(reduces),
                        median(copies), median(ratio));
                }
            }
        }
        if (comm.rank() == 0) {
            std::puts(met ? "promised: a ratio of at most 3, a share of at least 0.5: met"
                          : "promised: a ratio of at most 3, a share of at least 0.5: MISSED");
            if (!met) { throw std::runtime_error("a promise was missed"); }
        }
    });
}
