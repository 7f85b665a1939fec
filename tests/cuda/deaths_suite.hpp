// SPDX-License-Identifier: BSD-3-Clause
// Processes that die while others' devices wait for them.
#pragma once

#include <cuda/worlds.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace fake {

using namespace std::chrono_literals;
using conformance::expect_throw;

TEST_CASE("a process that dies before its stream has written what others wait for") {
    world w;
    CHECK_THROWS_AS(run_processes(
                        w, 3,
                        [&w](auto& comm, machine&) {
                            auto buffer = comm.template allocate<float>(50'000);
                            coll::options const how{.algorithm = coll::ring{}};  // needs rank 1
                            auto const calls = [&] {
                                comm.all_reduce(buffer, coll::sum{}, how);
                                if (comm.rank() == 1) {
                                    w.words_are_lost = true;  // this process's copy
                                    std::thread([] {
                                        std::this_thread::sleep_for(100ms);
                                        std::raise(SIGKILL);
                                    }).detach();
                                }
                                comm.all_reduce(buffer, coll::sum{}, how);
                            };
                            expect_throw<coll::peer_lost_error>(calls, "a rank that has died");
                            ++w.shared().told;
                        },
                        cuda::ordering::memory),
                    coll::run_error);
    CHECK(w.shared().told == 2);
}

TEST_CASE("who waits for all that is enqueued looks for processes that have died") {
    world w;
    CHECK_THROWS_AS(run_processes(
                        w, 3,
                        [&w](auto& comm, machine&) {
                            auto& space = cuda::space_of(comm);
                            comm.barrier();
                            if (comm.rank() == 1) {
                                w.words_are_lost = true;  // this process's copy
                                (void)space.queue();
                                space.note();
                                ++w.shared().told;  // of its work
                                std::this_thread::sleep_for(100ms);
                                std::raise(SIGKILL);
                            }
                            while (w.shared().told == 0) { std::this_thread::yield(); }
                            coll::device_scope const here(&space);
                            space.after(1);
                            space.drain();
                            expect(space.is_released(1), "rank 1 has died");
                            ++w.shared().told;
                        },
                        cuda::ordering::memory),
                    coll::run_error);
    CHECK(w.shared().told == 3);
}

TEST_CASE("a process that dies in the middle") {
    for (auto const order : {cuda::ordering::memory, cuda::ordering::host}) {
        world w;
        CHECK_THROWS_AS(run_processes(
                            w, 3,
                            [](auto& comm, machine&) {
                                auto buffer = comm.template allocate<float>(50'000);
                                for (int i = 0; i < 1'000; ++i) {
                                    if (comm.rank() == 1 && i == 20) { std::raise(SIGKILL); }
                                    try {
                                        comm.all_reduce(buffer);
                                    } catch (coll::peer_lost_error const& e) {
                                        expect(e.peer() == 1, "rank 1 has died");
                                        return;
                                    }
                                }
                                expect(false, "nobody noticed");
                            },
                            order),
                        coll::run_error);
    }
}

}  // namespace fake
