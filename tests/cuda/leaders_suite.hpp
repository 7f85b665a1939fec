// SPDX-License-Identifier: BSD-3-Clause
// Processes that share devices: one of each device's does the work of all.
#pragma once

#include <cuda/worlds.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <string>
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
