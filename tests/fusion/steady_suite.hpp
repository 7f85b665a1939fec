// SPDX-License-Identifier: BSD-3-Clause
// What a step costs once there has been one like it: no allocation, and no message but those of the
// reductions themselves. Included by one file of a program: it counts what operator new gives.
#pragma once

#include <collectives/schedule/cost.hpp>

#include <fusion/tensors.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <new>
#include <string_view>

namespace fusion_tests {

inline std::atomic<std::size_t> allocations{0};

}  // namespace fusion_tests

[[gnu::noinline]] void* operator new(std::size_t bytes) {
    fusion_tests::allocations.fetch_add(1, std::memory_order_relaxed);
    if (void* const p = std::malloc(bytes == 0 ? 1 : bytes)) { return p; }
    throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
    fusion_tests::allocations.fetch_add(1, std::memory_order_relaxed);
    auto const to = static_cast<std::size_t>(alignment);
    if (void* const p = std::aligned_alloc(to, (bytes + to - 1) / to * to)) { return p; }
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace fusion_tests {

/// For ranks that are threads: they meet without the library, whose barrier may allocate.
inline void no_allocation_per_step(world const& over) {
    std::barrier all(3);
    for (int const variant : {0, 1, 2, 3}) {
        bool const thread = variant == 1, priorities = variant == 2;
        std::string_view const name = variant == 3 ? "" : "tensor";
        for (auto const threshold : thresholds) {
            CAPTURE(variant);
            CAPTURE(threshold);
            over.run(3, [&](coll::communicator& comm) {
                auto tensors = mixed_tensors(100);
                coll::fusion_buffer fusion(comm, {.threshold = threshold,
                                                  .progress_thread = thread,
                                                  .under_way = priorities ? 2U : 64U,
                                                  .priorities = priorities});
                auto const steps = [&](int n) {
                    for (int s = 0; s < n; ++s) {
                        for (auto& t : tensors) {
                            t.visit([&](auto& v) { (void)fusion.add(v, name); });
                        }
                        fusion.flush();
                    }
                };
                steps(20);
                all.arrive_and_wait();
                auto const before = allocations.load();
                all.arrive_and_wait();
                steps(20);
                all.arrive_and_wait();
                auto const after = allocations.load();
                all.arrive_and_wait();
                expect(after == before,
                       [&] { return std::to_string(after - before) + " allocations in 20 steps"; });
            });
        }
    }
}

/// By handles alone, each waited for in the step after its own: buckets are used again.
inline void no_bucket_per_step_without_flush(world const& over) {
    std::barrier all(3);
    for (bool const thread : {false, true}) {
        CAPTURE(thread);
        over.run(3, [&](coll::communicator& comm) {
            std::vector<std::vector<float>> even(10, std::vector<float>(10)), odd(even);
            coll::fusion_buffer fusion(comm, {.threshold = 50, .progress_thread = thread});
            std::vector<coll::fused_tensor> now, before;
            now.reserve(10);
            before.reserve(10);
            auto const steps = [&](int n) {
                for (int s = 0; s < n; ++s) {
                    for (auto& t : s % 2 == 0 ? even : odd) { now.push_back(fusion.add(t)); }
                    for (auto& h : before) { h.wait(); }
                    before.clear();
                    before.swap(now);
                }
            };
            steps(100);
            all.arrive_and_wait();
            auto const start = allocations.load();
            all.arrive_and_wait();
            steps(100);
            all.arrive_and_wait();
            auto const made = allocations.load() - start;
            all.arrive_and_wait();
            expect(made < 100, [&] { return std::to_string(made) + " allocations in 100 steps"; });
        });
    }
}

/// A step sends what one all_reduce of each bucket sends, to the byte; the first step too.
inline void no_message_of_its_own(world const& over) {
    over.run(4, [](coll::communicator& comm) {
        coll::counted counts;
        auto counted = comm.with(counts);
        std::vector<std::vector<float>> tensors(50, std::vector<float>(100));
        coll::fusion_buffer fusion(counted, {.threshold = 10'000, .algorithm = coll::ring{}});
        for (int step = 0; step < 3; ++step) {
            counts.reset();
            for (auto& t : tensors) { (void)fusion.add(t, "tensor"); }
            fusion.flush();
            auto const expected = 2 * coll::cost_of(coll::ring{}, 4, 10'000)
                                          .ranks[static_cast<std::size_t>(comm.rank())]
                                          .sent;
            expect(counts.sent() == expected, "bytes of its own");
        }
    });
}

}  // namespace fusion_tests
