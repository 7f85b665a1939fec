// SPDX-License-Identifier: BSD-3-Clause
// Device-driven calls of processes.
#pragma once

#include <cuda/driven_suite.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <span>

namespace fake {

TEST_CASE("devices drive: processes, which may have to go through the slots, part by part") {
    for (int const turn : {0, 1, 2, 3}) {
        auto const size = 2 + turn % 2;
        world w;
        w.events_cross = turn < 2;  // else nobody may work in a peer's buffers
        w.devices = size;
        w.laziness = 32;
        run_processes(
            w, size,
            [&](auto& comm, machine& m) {
                auto* const stream = m.make_stream();
                call_all(comm, m, 1'001, 1, 1, stream);
                call_all(comm, m, 600'001, 0, 2, nullptr);  // more than a slot holds
                m.destroy_stream(stream);
            },
            {}, by_device);
    }
}

TEST_CASE("why devices may not drive processes") {
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
}

TEST_CASE("a communicator that has failed ends while a kernel of its still waits") {
    world w;
    coll::shm::run(2, [&](auto& base) {
        auto const mine = std::make_shared<machine>(w);
        mine->use(base.rank());
        auto* const stream = mine->make_stream();
        auto* const memory = static_cast<float*>(mine->allocate(400));
        auto const start = coll::steady::now();
        {
            auto comm = cuda::communicate(base, base.rank(), {mine, {}, by_device});
            if (comm.rank() == 0) {
                comm.all_reduce(std::span(memory, 100), coll::sum{}, {.stream = stream});
            }
            base.barrier();
            if (comm.rank() == 1) { comm.abort("enough"); }
            base.barrier();
        }
        expect(coll::steady::now() - start < std::chrono::seconds(5), "in time");
        mine->free(memory);
        mine->destroy_stream(stream);
        expect_nothing_left(*mine);
    });
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
                expect(coll::steady::now() - start < std::chrono::seconds(5), "in time");
            },
            {}, by_device);
        FAIL("nobody noticed");
    } catch (coll::run_error const& e) { CHECK(e.signal() == SIGKILL); }
}

}  // namespace fake
