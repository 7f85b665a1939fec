// SPDX-License-Identifier: BSD-3-Clause
// Where devices may not drive, and kernels that meet nobody, or somebody else.
#pragma once

#include <cuda/worlds.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace fake {

using namespace std::chrono_literals;
using conformance::expect_throw;

inline constexpr auto by_device = cuda::drive::device;

inline void expect_part(std::string const& text, std::string const& part) {
    expect(text.find(part) != std::string::npos, [&] { return "'" + part + "' in: " + text; });
}

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
    coll::shm::run(3, [&](auto& base) {
        auto const mine = std::make_shared<machine>(w);
        auto const text = expect_throw<coll::usage_error>(
            [&] {
                cuda::communicate(base, 0, {mine, {}, by_device});
            },
            "shared by processes");
        expect_part(text, "rank 0 shares its device with other processes");
    });
    w.share = 30;  // of each of three
    coll::shm::run(3, [&](auto& base) {
        auto const mine = std::make_shared<machine>(w);
        auto comm = cuda::communicate(base, 0, {mine, {}, by_device});
        auto buffer = comm.template allocate<float>(10);
        comm.all_reduce(buffer);
        expect_throw<coll::transport_error>(
            [&] {
                cuda::communicate(base, 0, {mine, {}, by_device});
            },
            "a second one beside it");
    });
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

TEST_CASE("a kernel that meets nobody, or somebody else") {
    world w;
    run_threads(
        w, 3,
        [](auto& comm, machine& m) {
            m.use(comm.rank() % 2);
            auto buffer = comm.template allocate<float>(100);
            comm.all_reduce(buffer);
            if (comm.rank() == 2) { std::this_thread::sleep_for(600ms); }
            try {
                comm.all_reduce(buffer, coll::sum{}, {.timeout = 150ms});
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
            auto buffer = comm.template allocate<float>(100);
            expect_throw<coll::mismatch_error>(
                [&] {
                    comm.all_reduce(std::span(buffer.data(), comm.rank() == 1 ? 50 : 100),
                                    coll::sum{}, {.stream = stream});
                    m.synchronize(stream);
                    comm.all_reduce(buffer);  // here it is told, at the latest
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

TEST_CASE("a process that is killed while the others' kernels wait for it") {
    world w;
    w.devices = 3;
    try {
        run_processes(
            w, 3,
            [](auto& comm, machine&) {
                auto buffer = comm.template allocate<float>(100);
                comm.all_reduce(buffer);
                if (comm.rank() == 1) { std::raise(SIGKILL); }
                auto const start = coll::steady::now();
                expect_throw<coll::peer_lost_error>([&] { comm.all_reduce(buffer); }, "death");
                expect(coll::steady::now() - start < 5s, "in time");
            },
            {}, by_device);
        FAIL("nobody noticed");
    } catch (coll::run_error const& e) { CHECK(e.signal() == SIGKILL); }
}

}  // namespace fake
