// SPDX-License-Identifier: BSD-3-Clause
// Threads whose devices may not drive, and what becomes of kernels that meet nobody, or somebody
// else.
#pragma once

#include <cuda/driven_suite.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace fake {

using namespace std::chrono_literals;

TEST_CASE("why devices may not drive") {
    auto const refused = [](world& w, int size, std::string const& part) {
        auto const mine = std::make_shared<machine>(w);
        coll::threads::run(size, [&](auto& base) {
            auto const device = base.rank() % w.devices;
            expect_part(expect_throw<coll::usage_error>(
                            [&] {
                                cuda::communicate(base, device, {mine, {}, by_device});
                            },
                            part),
                        part);
        });
        expect_nothing_left(*mine);
    };
    world queues;
    queues.independent_streams = 5;
    refused(queues, 6, "set CUDA_DEVICE_MAX_CONNECTIONS=32");
    world small;
    small.multiprocessors = 2;
    refused(small, 6, "there are not enough multiprocessors");

    world w;
    auto const drives = std::make_shared<machine>(w);
    coll::threads::run(2, [&](auto& base) {
        auto const drive = base.rank() == 0 ? by_device : cuda::drive::host;
        expect_part(expect_throw<coll::usage_error>(
                        [&] {
                            cuda::communicate(base, 0, {drives, {}, drive});
                        },
                        "drives"),
                    "ask for different drives");
    });
}

TEST_CASE("a rank that cannot drive: all hear of it, nothing is left, and the next try works") {
    for (std::string const call : {"allocate", "make_event", "record", "synchronize"}) {
        world w;
        auto const mine = std::make_shared<machine>(w);
        coll::threads::run(3, [&](auto& base) {
            mine->use(base.rank() % 2);
            base.barrier();
            if (base.rank() == 1 && call == "allocate") { mine->fail(call); }
            base.barrier();
            if (call == "allocate") {
                expect_part(expect_throw<coll::transport_error>(
                                [&] {
                                    cuda::communicate(base, base.rank() % 2, {mine, {}, by_device});
                                },
                                call),
                            "allocate: injected");
                base.barrier();
                if (base.rank() == 1) { mine->fail(call, 1 << 30); }  // from then on, that is
                base.barrier();
            }
            auto comm = cuda::communicate(base, base.rank() % 2, {mine, {}, by_device});
            auto buffer = comm.template allocate<float>(100);
            comm.all_reduce(buffer);
            comm.barrier();
            if (call == "allocate") { return; }
            base.barrier();  // all are through with what came before
            if (base.rank() == 1) { mine->fail(call); }
            base.barrier();
            auto* const stream = mine->make_stream();
            try {
                for (int i = 0; i < 20; ++i) { comm.all_reduce(buffer); }
                mine->synchronize(stream);
            } catch (coll::transport_error const&) {  // of whoever came first; all hear of it
            }
            mine->destroy_stream(stream);
        });
        expect_nothing_left(*mine);
    }
}

TEST_CASE("a kernel that meets nobody, or somebody else") {
    world w;
    run_threads(
        w, 3,
        [](auto& comm, machine& m) {
            m.use(comm.rank() % 2);
            auto buffer = comm.template allocate<float>(100);
            comm.all_reduce(buffer);
            if (comm.rank() == 2) { std::this_thread::sleep_for(1500ms); }
            try {
                comm.all_reduce(buffer, coll::sum{}, {.timeout = 500ms});
                expect(false, "it came to an end");
            } catch (coll::timeout_error const& e) {
                expect(e.missing() == std::vector<int>{2}, "rank 2 is missing");
            }
        },
        {}, by_device);
    run_threads(
        w, 3,
        [](auto& comm, machine& m) {
            m.use(comm.rank() % 2);
            auto* const stream = m.make_stream();
            std::optional<decltype(comm.template allocate<float>(100))> buffer;
            expect_throw<coll::mismatch_error>(
                [&] {
                    buffer.emplace(comm.template allocate<float>(100));  // others may be ahead
                    comm.all_reduce(std::span(buffer->data(), comm.rank() == 1 ? 50 : 100),
                                    coll::sum{}, {.stream = stream});
                    m.synchronize(stream);
                    comm.all_reduce(*buffer);  // here it is told, at the latest
                },
                "a mismatch");
            m.destroy_stream(stream);
        },
        {}, by_device);
    run_threads(
        w, 2,
        [](auto& comm, machine& m) {
            m.use(comm.rank() % 2);
            auto buffer = comm.template allocate<float>(100);
            if (comm.rank() == 1) {
                std::this_thread::sleep_for(50ms);
                return comm.abort("enough");
            }
            expect_part(expect_throw<coll::error>([&] { comm.all_reduce(buffer); }, "abort"),
                        "enough");
        },
        {}, by_device);
}

TEST_CASE("all ranks that a kernel missed are told, also where nobody waited for it") {
    world w;
    std::atomic<bool> told = false;
    run_threads(
        w, 3,
        [&](auto& comm, machine& m) {
            m.use(comm.rank() % 2);
            auto* const stream = m.make_stream();
            auto buffer = comm.template allocate<float>(100);
            comm.barrier();
            if (comm.rank() == 0) {
                comm.all_reduce(buffer, coll::sum{}, {.timeout = 200ms, .stream = stream});
                m.synchronize(stream);
                try {
                    comm.all_reduce(buffer);
                    expect(false, "it came to an end");
                } catch (coll::timeout_error const& e) {
                    expect(e.missing() == std::vector<int>{1, 2}, "ranks 1 and 2 are missing");
                }
                told = true;
            }
            while (!told) { std::this_thread::sleep_for(1ms); }
            m.destroy_stream(stream);
        },
        {}, by_device);
}

TEST_CASE("kernels that wait end at once when a rank ends the communicator") {
    world w;
    for (bool const waited_for : {true, false}) {
        std::atomic<int> ready = 0;
        run_threads(
            w, 3,
            [&](auto& comm, machine& m) {
                m.use(comm.rank() % 2);
                auto* const stream = m.make_stream();
                auto buffer = comm.template allocate<float>(100);
                comm.all_reduce(buffer);
                auto const start = coll::steady::now();
                ++ready;
                if (comm.rank() == 2) {
                    while (ready < 3) { std::this_thread::yield(); }
                    std::this_thread::sleep_for(50ms);
                    comm.abort("enough");
                } else if (waited_for || comm.rank() == 0) {
                    expect_part(
                        expect_throw<coll::error>([&] { comm.all_reduce(buffer); }, "abort"),
                        "enough");
                } else {
                    try {
                        comm.all_reduce(buffer, coll::sum{}, {.stream = stream});
                    } catch (coll::error const&) {  // it came late
                    }
                    m.synchronize(stream);
                }
                expect(coll::steady::now() - start < 5s, "at once");
                m.destroy_stream(stream);
            },
            {}, by_device);
    }
}

}  // namespace fake
