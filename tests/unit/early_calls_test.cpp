// SPDX-License-Identifier: BSD-3-Clause
// A rank whose calls never have to wait still takes what others send it.
#include <collectives/launch/threads.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <span>
#include <thread>

namespace coll = collectives;

TEST_CASE("calls whose messages are always there keep no other sender waiting") {
    std::atomic<int> blocks = 0;  // that rank 1 has given
    std::atomic<bool> all_sent = false, came_in_time = false;
    coll::threads::run(3, [&](coll::communicator& comm) {
        constexpr int calls = 200, messages = 40;
        auto pair = comm.split(comm.rank() == 2 ? 1 : 0);
        std::array<int, 1> const mine{comm.rank()};
        std::array<int, 2> both{};
        if (comm.rank() == 2) {
            for (int i = 0; i < messages; ++i) { comm.send(std::span(mine), 0, 7); }
            all_sent = true;
        } else if (comm.rank() == 1) {
            for (int i = 0; i < calls; ++i, ++blocks) {
                pair.gather(std::span(mine), std::span<int>(), 0);
            }
        } else {
            for (int i = 0; i < calls; ++i) {
                while (blocks <= i) { std::this_thread::yield(); }
                std::this_thread::sleep_for(std::chrono::microseconds(200));
                pair.gather(std::span(mine), std::span(both), 0);
            }
            came_in_time = all_sent.load();
            std::array<int, 1> got{};
            for (int i = 0; i < messages; ++i) { comm.recv(std::span(got), 2, 7); }
        }
    });
    CHECK(came_in_time);
}
