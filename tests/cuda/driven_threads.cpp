// SPDX-License-Identifier: BSD-3-Clause
// Device-driven calls without a GPU: threads whose kernels meet; and in graphs.
#include <cuda/suite_kernels.hpp>

#include <cuda/driven_faults_suite.hpp>
#include <cuda/driven_suite.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace fake;
using namespace std::chrono_literals;

bool const more_kernels = cuda::provide_with<launcher, coll::premultiplied_sum<float>, float>() &&
                          cuda::provide_with<launcher, coll::average, coll::float16>() &&
                          cuda::provide_with<launcher, coll::logical_and, std::int32_t>();

}  // namespace

TEST_CASE("devices drive: threads, on one device and on two") {
    for (int const devices : {1, 2}) {
        for (int const size : sizes({1, 2, 3, 5})) {
            world w;
            w.devices = devices;
            w.laziness = 32;
            run_threads(
                w, size,
                [&](auto& comm, machine& m) {
                    m.use(comm.rank() % devices);
                    auto* const stream = m.make_stream();
                    std::uint64_t salt = 1;
                    for (std::size_t const n : {0UL, 1UL, 5UL, 37UL, 1'000UL, 6'001UL}) {
                        call_all(comm, m, n, salt % 3, salt, salt % 2 == 0 ? stream : nullptr);
                        ++salt;
                    }
                    m.destroy_stream(stream);
                },
                {}, by_device);
        }
    }
}

TEST_CASE("devices drive: private memory beside memory that peers reach") {
    world w;
    run_threads(
        w, 2,
        [&](auto& comm, machine& m) {
            m.use(comm.rank());
            std::size_t const n = 1'300'000;  // more than a slot holds
            auto* const own = static_cast<float*>(comm.rank() == 0 ? m.allocate_private(n * 4)
                                                                   : m.allocate(n * 4));
            std::vector<float> all(n);
            for (std::size_t i = 0; i < n; ++i) { all[i] = static_cast<float>(i % 1000); }
            m.copy(own, all.data(), n * 4, nullptr);
            comm.all_reduce(std::span(own, n), coll::sum{}, {.algorithm = coll::two_shot{}});
            m.copy(all.data(), own, n * 4, nullptr);
            m.synchronize(nullptr);
            bool fine = true;
            for (std::size_t i = 0; i < n; ++i) {
                fine = fine && all[i] == 2 * static_cast<float>(i % 1000);
            }
            expect(fine, "sums");
            m.free(own);
        },
        {}, by_device);
}

TEST_CASE("a rank that still reads its last piece while the other is in its next call") {
    world w;
    w.laziness = 0;
    launcher::slow_device = 1;
    run_threads(
        w, 2,
        [&](auto& comm, machine& m) {
            m.use(comm.rank());
            std::size_t const n = std::size_t{1} << 20;  // of four bytes: two pieces
            auto* const stream = m.make_stream();
            auto first = comm.template allocate<float>(n), next = comm.template allocate<float>(n);
            std::vector<float> all(n, 1);
            m.copy(first.data(), all.data(), n * 4, stream);
            all.assign(n, 10);
            m.copy(next.data(), all.data(), n * 4, stream);
            comm.all_reduce(first, coll::sum{}, {.algorithm = coll::one_shot{}, .stream = stream});
            comm.all_reduce(next, coll::sum{}, {.algorithm = coll::two_shot{}, .stream = stream});
            m.copy(all.data(), first.data(), n * 4, stream);
            m.synchronize(stream);
            expect(all[0] == 2 && all[n - 1] == 2, "the first call's sums");
            m.copy(all.data(), next.data(), n * 4, stream);
            m.synchronize(stream);
            expect(all[0] == 20 && all[n - 1] == 20, "the next call's sums");
            m.destroy_stream(stream);
        },
        {}, by_device);
    launcher::slow_device = -1;
}

TEST_CASE("who runs ahead waits before its stream has no room for more calls") {
    world w;
    w.laziness = 0;
    std::atomic<int> enqueued = 0;
    run_threads(
        w, 2,
        [&](auto& comm, machine& m) {
            m.use(comm.rank());
            constexpr int calls = 500;
            auto* const stream = m.make_stream();
            auto buffer = comm.template allocate<std::int64_t>(1);
            std::int64_t zero = 0;
            m.copy(buffer.data(), &zero, 8, stream);
            if (comm.rank() == 1) {
                for (int last = -1; enqueued < 100 || last != enqueued;) {
                    last = enqueued;
                    std::this_thread::sleep_for(100ms);
                }
                expect(enqueued < 200,
                       [&] { return std::to_string(enqueued) + " calls are enqueued"; });
            }
            for (int i = 0; i < calls; ++i) {
                comm.all_reduce(buffer, coll::sum{}, {.stream = stream});
                if (comm.rank() == 0) { ++enqueued; }
            }
            m.synchronize(stream);
            m.destroy_stream(stream);
        },
        {}, by_device);
    CHECK(enqueued == 500);
}

TEST_CASE("threads that share a device: what would wait for all of it") {
    world w;
    w.devices = 1;
    run_threads(
        w, 2,
        [&](auto& comm, machine& m) {
            auto* const stream = m.make_stream();
            auto first = comm.template allocate<float>(10);
            m.of(stream).blocks = true;
            expect_part(expect_throw<coll::usage_error>(
                            [&] { comm.all_reduce(first, coll::sum{}, {.stream = stream}); },
                            "a blocking stream"),
                        "make it with cudaStreamNonBlocking");
            m.of(stream).blocks = false;
            auto const* const at = first.data();
            auto const live = m.live_allocations();
            {
                auto gone = std::move(first);
                comm.all_reduce(std::span(gone.data(), 10), coll::sum{}, {.stream = stream});
            }
            expect(m.live_allocations() >= live, "it is not freed");
            auto again = comm.template allocate<float>(12);  // of as many bytes
            expect(again.data() == at, "but used again");
            std::vector<float> host(12, 1);
            m.copy(host.data(), again.data(), 48, stream);
            m.synchronize(stream);
            expect(host[0] == 0 && host[11] == 0, "zeroed");
            m.destroy_stream(stream);
        },
        {}, by_device);
}

TEST_CASE("many calls, enqueued back to back") {
    world w;
    run_threads(
        w, 2,
        [&](auto& comm, machine& m) {
            m.use(comm.rank());
            auto* const stream = m.make_stream();
            auto buffer = comm.template allocate<std::uint32_t>(10);
            std::vector<std::uint32_t> all(10, 1);
            m.copy(buffer.data(), all.data(), 40, stream);
            for (int i = 0; i < 300; ++i) { comm.broadcast(buffer, i % 2, {.stream = stream}); }
            comm.all_reduce(buffer, coll::sum{}, {.stream = stream});
            m.copy(all.data(), buffer.data(), 40, stream);
            m.synchronize(stream);
            expect(all[9] == 2, "the last one's sum");
            m.destroy_stream(stream);
        },
        {}, by_device);
}

TEST_CASE("devices drive: operators that prepare, finish, or tell the truth") {
    for (int const size : sizes({1, 3})) {
        world w;
        run_threads(
            w, size,
            [&](auto& comm, machine& m) {
                m.use(comm.rank() % w.devices);
                auto const reduced = [&](auto first, auto const& op) {
                    using T = decltype(first);
                    auto buffer = comm.template allocate<T>(9);
                    std::vector<T> values(9, first);
                    m.copy(buffer.data(), values.data(), sizeof(T) * 9, nullptr);
                    comm.all_reduce(buffer, op);
                    m.copy(values.data(), buffer.data(), sizeof(T) * 9, nullptr);
                    m.synchronize(nullptr);
                    return values[8];
                };
                expect(
                    reduced(2.0F, coll::premultiplied_sum{0.5F}) == static_cast<float>(comm.size()),
                    "premultiplied_sum");
                expect(reduced(coll::float16(3.0F), coll::average{}) == coll::float16(3.0F),
                       "average");
                expect(reduced(std::int32_t{7}, coll::logical_and{}) == 1, "logical_and");
            },
            {}, by_device);
    }
}

TEST_CASE("a graph: captured once, replayed with other values, between other calls") {
    for (int const size : sizes({2, 4})) {
        world w;
        w.laziness = 64;
        run_threads(
            w, size,
            [&](auto& comm, machine& m) {
                m.use(comm.rank() % w.devices);
                auto* const stream = m.make_stream();
                std::size_t const n = 3'000;
                auto in = comm.template allocate<std::int64_t>(n);
                auto out = comm.template allocate<std::int64_t>(n);
                std::vector<std::int64_t> host(n);
                m.begin_capture(stream);
                for (coll::any_algorithm const a : {coll::any_algorithm(coll::one_shot{}),
                                                    coll::any_algorithm(coll::two_shot{})}) {
                    comm.all_reduce(in, out, coll::sum{}, {.algorithm = a, .stream = stream});
                }
                expect_part(expect_throw<coll::usage_error>(
                                [&] {
                                    comm.all_reduce(out, coll::sum{},
                                                    {.algorithm = coll::ring{}, .stream = stream});
                                },
                                "captured, and driven by the host"),
                            "the stream captures a graph, into which no host-driven call goes");
                auto const graph = m.end_capture(stream);
                for (std::uint64_t salt = 1; salt <= 10; ++salt) {
                    for (std::size_t i = 0; i < n; ++i) { host[i] = value(comm.rank(), i, salt); }
                    m.copy(in.data(), host.data(), n * 8, stream);
                    m.replay(graph, stream);
                    if (salt % 3 == 0) {
                        comm.all_reduce(in, out, coll::sum{}, {.stream = stream});
                    }
                    m.copy(host.data(), out.data(), n * 8, stream);
                    m.synchronize(stream);
                    for (std::size_t i = 0; i < n; ++i) {
                        expect(host[i] == sum_of(comm.size(), i, salt), "a replay");
                    }
                }
                m.destroy_stream(stream);
            },
            {}, by_device);
    }
}

TEST_CASE("devices drive: what the environment says, and `explain`") {
    ::setenv("COLLECTIVES_ALL_REDUCE", "ring:0-1k,two_shot:1k-2k", 1);
    world w;
    run_threads(
        w, 2,
        [&](auto& comm, machine& m) {
            m.use(comm.rank());
            auto buffer = comm.template allocate<float>(1000);
            auto* const stream = m.make_stream();
            m.begin_capture(stream);  // into which no host-driven call goes
            expect_throw<coll::usage_error>(
                [&] {
                    comm.all_reduce(std::span(buffer.data(), 10), coll::sum{}, {.stream = stream});
                },
                "ring");
            comm.all_reduce(std::span(buffer.data(), 300), coll::sum{}, {.stream = stream});
            m.replay(m.end_capture(stream), stream);
            m.synchronize(stream);
            m.destroy_stream(stream);
            expect(comm.explain(40).algorithm == coll::ring{}, "ring");
            auto const told = comm.explain(1200);
            expect(told.algorithm == coll::two_shot{}, "two_shot");
            expect_part(told.why, "two_shot, device-driven, as the environment says");
            expect_part(comm.explain(4000).why, "one_shot, device-driven");
            expect_part(comm.explain(1 << 20).why, "two_shot, device-driven");
        },
        {}, by_device);
    ::unsetenv("COLLECTIVES_ALL_REDUCE");
}
