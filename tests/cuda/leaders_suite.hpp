// SPDX-License-Identifier: BSD-3-Clause
// Processes that share devices: one of each device's does the work of all.
#pragma once

#include <cuda/worlds.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace fake {

TEST_CASE("leaders: processes that share devices, whose members start no kernel") {
    struct {
        int size, own;
    } const groupings[] = {{2, 2}, {4, 4}, {4, 2}, {3, 1}};
    for (auto const [size, own] : groupings) {
        world w;
        w.devices = size / own;
        coll::shm::run(size, [&, own = own](auto& base) {
            auto const mine = std::make_shared<machine>(w);
            mine->use(base.rank() / own);
            {
                auto comm = cuda::communicate(base, base.rank() / own, {mine, {}});
                auto const told = name(comm.explain(1 << 20).algorithm);
                expect((told == "leaders:" + std::to_string(own)) == (own > 1), told);
                for (std::size_t const n : {1UL, 1'000UL, 300'001UL}) {
                    auto buffer = comm.template allocate<float>(n);
                    std::vector<float> host(n, static_cast<float>(comm.rank() + 1));
                    mine->copy(buffer.data(), host.data(), n * 4, nullptr);
                    mine->synchronize(nullptr);
                    auto* const queue = cuda::space_of(comm).queue();
                    comm.barrier();
                    int const before = mine->kernels;
                    auto const enqueued = mine->enqueued(nullptr) + mine->enqueued(queue);
                    comm.all_reduce(buffer);
                    auto const leads = comm.rank() % own == 0;
                    auto const by_one = own == comm.size();
                    expect(!by_one || leads == (mine->kernels > before), "who started kernels");
                    auto const more = mine->enqueued(nullptr) + mine->enqueued(queue) - enqueued;
                    expect(!by_one || leads == (more > 0), "who enqueued anything");
                    mine->copy(host.data(), buffer.data(), n * 4, nullptr);
                    mine->synchronize(nullptr);
                    auto const sum = static_cast<float>(comm.size() * (comm.size() + 1) / 2);
                    for (auto const x : host) { expect(x == sum, "a sum"); }
                    auto half = comm.split(comm.rank() % 2);  // not the ranks of a device
                    half.all_reduce(buffer);
                }
            }
            expect_nothing_left(*mine);
        });
    }
}

TEST_CASE("leaders: a broadcast and an all_gather, by one rank that reads each value once") {
    for (int const size : {2, 4}) {
        world w;
        w.devices = 1;
        coll::shm::run(size, [&](auto& base) {
            auto const mine = std::make_shared<machine>(w);
            auto comm = cuda::communicate(base, 0, {mine, {}});
            auto const told = name(comm.explain(1 << 20).algorithm);
            expect(told == "leaders:" + std::to_string(size), told);
            auto const p = static_cast<std::size_t>(size);
            auto const kernels_of = [&](auto const& call) {
                comm.barrier();
                int const before = mine->kernels;
                call();
                return mine->kernels - before;
            };
            for (std::size_t const n : {1UL, 1'000UL, 300'001UL}) {
                auto whole = comm.template allocate<float>(n * p);
                auto block = comm.template allocate<float>(n);
                auto const own = static_cast<float>(comm.rank() + 1);
                std::vector<float> host(n * p, own);
                mine->copy(block.data(), host.data(), n * 4, nullptr);
                mine->synchronize(nullptr);
                auto const expect_each = [&](auto const& at) {
                    mine->copy(host.data(), whole.data(), n * p * 4, nullptr);
                    mine->synchronize(nullptr);
                    for (std::size_t i = 0; i < n * p; ++i) { expect(host[i] == at(i), "a value"); }
                };
                for (int root = 0; root < size; ++root) {
                    host.assign(n * p, own);
                    mine->copy(whole.data(), host.data(), n * p * 4, nullptr);
                    mine->synchronize(nullptr);
                    auto const started = kernels_of([&] { comm.broadcast(whole, root); });
                    expect(started == (comm.rank() == root ? 1 : 0), "the root alone, once");
                    expect_each([&](std::size_t) { return static_cast<float>(root + 1); });
                }
                auto const started = kernels_of([&] {  // rank 0 comes last, so it waits for nobody
                    if (comm.rank() == 0) { base.barrier(); }
                    auto mine_too = comm.start_all_gather(block, whole);
                    if (comm.rank() != 0) { base.barrier(); }
                    mine_too.wait();
                });
                expect(started == (comm.rank() == 0 ? 1 : 0), "the leader alone, once");
                expect_each([&](std::size_t i) { return static_cast<float>(i / n + 1); });
                auto const each = kernels_of(
                    [&] { comm.all_gather(block, whole, {.algorithm = coll::one_shot{}}); });
                expect(each == 1, "each rank its own block, once");
                expect_each([&](std::size_t i) { return static_cast<float>(i / n + 1); });
            }
        });
    }
}

TEST_CASE("leaders: threads that share a device, also in a part of their own") {
    for (int const share : {0, 50}) {
        world w;
        w.devices = 1;
        w.share = share;
        run_threads(w, 4, [](auto& comm, machine& m) {
            auto const told = name(comm.explain(1 << 20).algorithm);
            expect(told == "leaders:4", told);
            auto buffer = comm.template allocate<float>(1'000);
            std::vector<float> host(1'000, static_cast<float>(comm.rank() + 1));
            auto* const mine = m.make_stream();
            m.copy(buffer.data(), host.data(), 4'000, mine);
            comm.all_reduce(buffer, coll::sum{}, {.stream = mine});
            m.copy(host.data(), buffer.data(), 4'000, mine);
            m.destroy_stream(mine);
            for (auto const x : host) { expect(x == 10, "a sum"); }
        });
    }
}

TEST_CASE("leaders: a started call behind a busy stream holds nobody up") {
    world w;
    w.devices = 1;
    coll::shm::run(2, [&](auto& base) {
        auto const mine = std::make_shared<machine>(w);
        auto comm = cuda::communicate(base, 0, {mine, {}});
        expect(cuda::space_of(comm).ordered_by() == cuda::ordering::host, "another order");
        auto buffer = comm.template allocate<float>(10);
        std::vector<float> host(10, 1);
        auto* const user = mine->make_stream();
        std::atomic<bool> may_go_on = false;
        mine->run(user, [&] { may_go_on.wait(false); });
        mine->copy(buffer.data(), host.data(), 40, user);
        auto started = comm.start_all_reduce(buffer, coll::sum{}, {.stream = user});
        auto const before = coll::steady::now();
        for (int i = 0; i < 100; ++i) {
            expect(!started.test(), "it did not wait for the stream");
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
        may_go_on = true;
        may_go_on.notify_all();
        expect(coll::steady::now() - before < std::chrono::seconds(5), "it held its rank up");
        started.wait();
        mine->copy(host.data(), buffer.data(), 40, user);
        mine->destroy_stream(user);
        for (auto const x : host) { expect(x == 2, "a sum"); }
    });
}

TEST_CASE("leaders: not of processes that work beside each other, under MPS") {
    world w;
    w.share = 50;
    coll::shm::run(2, [&](auto& base) {
        auto const mine = std::make_shared<machine>(w);
        auto comm = cuda::communicate(base, 0, {mine, {}});
        auto const told = name(comm.explain(1 << 20).algorithm);
        expect(told.find("leaders") == std::string::npos, told);
    });
}

}  // namespace fake
