// SPDX-License-Identifier: BSD-3-Clause
// The bare loop in which the kernel copies messages between the processes of one host.
#include "ranks/kernel_loop.hpp"

#include <collectives/launch/shm.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

using namespace coll_perf;
using launched::loop_message;

namespace {

void require_all(std::span<std::byte const> where, int value) {
    for (auto const b : where) {
        if (b != static_cast<std::byte>(value)) { throw std::runtime_error("a wrong byte"); }
    }
}

}  // namespace

TEST_CASE("messages go where they belong, what came is passed on, and calls repeat") {
    constexpr std::size_t n = 5000;
    CHECK_NOTHROW(coll::shm::run(3, [](coll::communicator& comm) {
        auto const before = (comm.rank() + 2) % 3, next = (comm.rank() + 1) % 3;
        std::vector<std::byte> in(n), out(2 * n), own(8), moved(8);
        std::vector<loop_message> const ring{{true, next, 7, n, {}},
                                             {false, before, 7, n, {}},
                                             {true, next, 7, n, {1}},
                                             {false, before, 7, n, {}}};
        kernel_loop loop(comm, ring, {in, out, own, moved}, true);
        for (int call = 0; call < 3; ++call) {
            auto const value = [&](int rank) { return 10 * call + rank + 1; };
            std::fill(in.begin(), in.end(), static_cast<std::byte>(value(comm.rank())));
            std::fill(own.begin(), own.end(), static_cast<std::byte>(value(7)));
            comm.barrier();
            loop();
            require_all(std::span(out).first(n), value(before));
            require_all(std::span(out).last(n), value(next));  // of the one before that
            require_all(moved, value(7));
            comm.barrier();
        }
    }));
}

TEST_CASE("segments that overtake each other meet by their tags; long ones have room") {
    CHECK_NOTHROW(coll::shm::run(2, [](coll::communicator& comm) {
        std::vector<std::byte> in(8), out(24, std::byte{9});
        in[0] = std::byte{1};
        in[4] = std::byte{2};
        bool const sends = comm.rank() == 0;
        std::vector<loop_message> all;
        // The receiver has posted them in another order than the sender.
        for (int const tag : sends ? std::vector{1, 2} : std::vector{2, 1}) {
            all.push_back({sends, 1 - comm.rank(), tag, 4, {}});
        }
        all.push_back({sends, 1 - comm.rank(), 3, 100, {}});  // more than a vector has
        kernel_loop loop(comm, all, {in, out, {}, {}}, true);
        loop();
        if (sends) { return; }
        require_all(std::span(out).subspan(0, 1), 2);
        require_all(std::span(out).subspan(4, 1), 1);
        require_all(std::span(out).subspan(8), 9);
    }));
}
