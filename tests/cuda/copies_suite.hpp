// SPDX-License-Identifier: BSD-3-Clause
// Copies that a device collects: few kernels, and the bytes are those of one copy after the other.
#pragma once

#include <cuda/worlds.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace fake {

TEST_CASE("copies: random ones within a buffer, which often touch what others read and write") {
    world w;
    run_threads(w, 1, [](auto& comm, machine& m) {
        constexpr std::size_t n = 3'000;
        auto buffer = comm.template allocate<unsigned char>(n);
        auto& space = cuda::space_of(comm);
        std::mt19937 random(7);
        auto const below = [&](std::size_t end) { return random() % end; };
        for (int turn = 0; turn < 200; ++turn) {
            std::vector<unsigned char> host(n), expected;
            for (auto& b : host) { b = static_cast<unsigned char>(below(256)); }
            expected = host;
            m.copy(buffer.data(), host.data(), n, nullptr);
            m.synchronize(nullptr);
            {
                coll::device_scope const here(&space);
                for (std::size_t i = 0, all = 1 + below(20); i < all; ++i) {
                    auto const bytes = 1 + below(100), from = below(900), to = 1'000 + below(900);
                    auto const back = below(2) != 0;  // from the second part to the first
                    auto const source = back ? to : from, target = back ? from : to;
                    space.copy(buffer.data() + target, buffer.data() + source, bytes);
                    std::copy_n(expected.begin() + static_cast<std::ptrdiff_t>(source), bytes,
                                expected.begin() + static_cast<std::ptrdiff_t>(target));
                }
                space.settle();
            }
            m.copy(host.data(), buffer.data(), n, nullptr);
            m.synchronize(nullptr);
            expect(host == expected, "other bytes");
        }
    });
}

TEST_CASE("copies: those that do not touch each other are one kernel") {
    world w;
    run_threads(w, 1, [](auto& comm, machine& m) {
        auto buffer = comm.template allocate<float>(2'000);
        auto& space = cuda::space_of(comm);
        coll::device_scope const here(&space);
        int const before = m.kernels;
        for (std::size_t i = 0; i < 20; ++i) {
            space.copy(buffer.data() + 1'000 + 7 * i, buffer.data() + 11 * i, 28);
        }
        expect(m.kernels == before, "a kernel was started early");
        space.start_copies();
        expect(m.kernels == before + 1, "there were several kernels");
        space.settle();
    });
}

TEST_CASE("copies: what must come after them starts them") {
    world w;
    run_threads(w, 1, [](auto& comm, machine& m) {
        auto buffer = comm.template allocate<float>(100);
        auto& space = cuda::space_of(comm);
        coll::device_scope const here(&space);
        auto const started_by = [&](char const* what, auto const& f) {
            int const before = m.kernels;
            space.copy(buffer.data() + 50, buffer.data(), 100);
            f();
            expect(m.kernels == before + 1, what);
        };
        started_by("a pass", [&] { (void)space.queue(); });
        started_by("the end of a call", [&] { (void)space.completion(); });
        started_by("what peers are told", [&] { (void)space.note(); });
        started_by("a wait", [&] { space.settle(); });
    });
}

}  // namespace fake
