// SPDX-License-Identifier: BSD-3-Clause
// One rank of a job writes what it likes into all that the ranks share. The others may get wrong
// results, or any error of the library; they are never ended by a signal, and never hang.
#include "forked.hpp"

#include "../test_sampling.hpp"

#include <collectives/collectives.hpp>
#include <collectives/transport/model.hpp>
#include <collectives/transport/shm.hpp>

#include <doctest/doctest.h>

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <random>
#include <thread>
#include <vector>

namespace coll = collectives;
using namespace std::chrono_literals;

namespace {

constexpr int size = 4, liar = 2;

/// Calls of all kinds and sizes until one fails, or for so long.
void work(coll::shm::job const& job, int me, unsigned seed) {
    ::setenv("COLLECTIVES_TIMEOUT", "0.3", 1);
    coll::communicator comm(coll::erase(job.rank(me, {}, true)));
    std::mt19937 random(seed);
    auto const until = coll::steady::now() + 500ms;
    for (int k = 0; k < 10'000; ++k) {
        auto const n = std::size_t{1} << random() % 17;
        auto const which = random() % 6;
        auto owned = comm.allocate<double>(n);
        std::vector<double> data(n, 1.0), all(n * size);
        switch (which) {
            case 0: comm.all_reduce(data); break;
            case 1: comm.all_reduce(owned); break;
            case 2: comm.broadcast(data, 0); break;
            case 3: comm.all_gather(data, all); break;
            case 4: comm.start_all_reduce(data).wait(); break;
            default: static_cast<void>(comm.split(comm.rank() % 2, 0)); break;
        }
        if (coll::steady::now() > until) { break; }
    }
}

/// Overwrites words of the job's state and of its first board: with small numbers, large ones, and
/// such as differ little from what was there.
void lie(coll::shm::job const& job, unsigned seed) {
    auto* const base = reinterpret_cast<std::byte*>(&job.state().header());
    auto const words = (coll::shared::state::bytes(size) + coll::shared::board::bytes(size)) / 8;
    std::mt19937_64 random(seed);
    auto const begin = coll::steady::now() + std::chrono::milliseconds(20 + random() % 50);
    while (coll::steady::now() < begin) {}
    auto const until = begin + 150ms;
    auto const dense = random() % 2 == 0 ? words : std::size_t{4096};
    auto const pause = random() % 1000;
    while (coll::steady::now() < until) {
        auto const place = random() % (random() % 2 == 0 ? words : dense);
        std::atomic_ref<std::uint64_t> word(*reinterpret_cast<std::uint64_t*>(base + 8 * place));
        auto const old = word.load();
        std::uint64_t const lies[] = {
            random(),      random() % 16, ~std::uint64_t{0},           old + 1,
            old + 4096,    old - 1,       old ^ 1ULL << random() % 64, random() << 32,
            random() >> 32};
        word.store(lies[random() % std::size(lies)]);
        for (auto spin = pause; spin > 0; --spin) {
            std::atomic_signal_fence(std::memory_order_seq_cst);
        }
    }
}

}  // namespace

TEST_CASE("a rank that lies ends no other by a signal") {
    auto const jobs = sampling::all_cases() ? 400 : 12;
    auto const first = sampling::seed_of_the_day();
    MESSAGE("the first of ", jobs, " jobs has seed ", first);
    for (int k = 0; k < jobs; ++k) {
        auto const seed = first + static_cast<unsigned>(k);
        CAPTURE(seed);
        coll::shm::job const job(size);
        for (int r = 0; r < size; ++r) {
            job.state().status(r).state.store(coll::shared::life::running);
        }
        auto const begin = coll::steady::now();
        std::vector<faults::forked> ranks;
        for (int r = 0; r < size; ++r) {
            ranks.push_back(faults::start(r, size, [&] {
                job.state().status(r).pid.store(::getpid());
                for (int other = 0; other < size; ++other) {
                    while (job.state().status(other).pid.load() == 0) { ::sched_yield(); }
                }
                std::thread lies([&] {
                    if (r == liar) { lie(job, seed); }
                });
                try {
                    work(job, r, seed);
                } catch (coll::error const&) {
                } catch (std::bad_alloc const&) {}
                lies.join();
                return 0;
            }));
        }
        for (std::size_t r = 0; r < size; ++r) {
            auto const how = faults::end_of(ranks[r]);
            CAPTURE(r);
            CAPTURE(how.said);
            CHECK(how.status == 0);
        }
        CHECK(coll::steady::now() - begin < 10s);
    }
}
