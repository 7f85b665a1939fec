// SPDX-License-Identifier: BSD-3-Clause
// How device-driven calls of processes end without a result, where one of them says so.
#pragma once

#include <cuda/driven_windows_suite.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <memory>
#include <span>
#include <thread>
#include <vector>

namespace fake {

using namespace std::chrono_literals;

/// Nobody writes there any more.
inline void expect_untouched(machine& m, void* at, std::size_t n, void* stream) {
    std::vector<word> host(n, 17);
    m.copy(at, host.data(), n * sizeof(word), stream);
    m.synchronize(stream);
    std::this_thread::sleep_for(300ms);
    m.copy(host.data(), at, n * sizeof(word), stream);
    m.synchronize(stream);
    for (auto const x : host) { expect(x == 17, "nobody has written there"); }
}

TEST_CASE("devices drive: who runs out of time throws when no kernel comes into its buffer") {
    launcher::slow_device = 1;
    world w;
    w.laziness = 0;
    run_processes(
        w, 2,
        [](auto& comm, machine& m) {
            std::size_t const n = 2'000;
            auto* const stream = m.make_stream();
            auto* const a = m.allocate(n * sizeof(word));
            auto const buffer = words(a, 0, n);
            open_all(comm, m, buffer, buffer);
            try {
                comm.all_reduce(
                    buffer, coll::sum{},
                    {.algorithm = coll::two_shot{}, .timeout = comm.rank() == 0 ? 40ms : 10s});
                expect(false, "rank 1 takes longer");
            } catch (coll::timeout_error const&) {}
            expect_untouched(m, a, n, stream);
            m.destroy_stream(stream);
            m.free(a);
        },
        {}, by_device);
    launcher::slow_device = -1;
}

TEST_CASE("devices drive: nor does it where nobody has seen that the call has failed") {
    launcher::slow_device = 1;
    world w;
    w.laziness = 0;
    coll::shm::run(2, [&](auto& base) {
        auto const mine = std::make_shared<machine>(w);
        auto& m = *mine;
        m.use(base.rank());
        std::size_t const n = 2'000;
        auto* const stream = m.make_stream();
        auto* const a = m.allocate(n * sizeof(word));
        auto const buffer = words(a, 0, n);
        {
            auto comm = cuda::communicate(base, base.rank(), {mine, {}, by_device});
            open_all(comm, m, buffer, buffer);
            comm.all_reduce(buffer, coll::sum{},
                            {.algorithm = coll::two_shot{},
                             .timeout = base.rank() == 0 ? 40ms : 10s,
                             .stream = stream});
            if (base.rank() == 0) { m.synchronize(stream); }
        }
        expect_untouched(m, a, n, stream);
        m.destroy_stream(stream);
        m.free(a);
        expect_nothing_left(m);
    });
    launcher::slow_device = -1;
}

TEST_CASE(
    "devices drive: a call ends in time where a peer's kernel has not begun, and never comes") {
    for (bool const threads : {false, true}) {
        world w;
        w.laziness = 0;
        auto const body = [&](auto& comm, machine& m) {
            m.use(comm.rank());
            std::size_t const n = 2'000;
            auto* const stream = m.make_stream();
            auto* const a = m.allocate(n * sizeof(word));
            auto const buffer = words(a, 0, n);
            open_all(comm, m, buffer, buffer);
            auto& told = w.shared().told;
            coll::options const how{
                .algorithm = coll::two_shot{}, .timeout = 100ms, .stream = stream};
            if (comm.rank() == 1) {  // busy until the other has thrown, and a while longer
                m.of(stream).push([&told] {
                    while (told == 0) { std::this_thread::sleep_for(1ms); }
                    std::this_thread::sleep_for(100ms);
                });
                comm.all_reduce(buffer, coll::sum{}, how);
                m.synchronize(stream);
            } else {
                auto const start = coll::steady::now();
                expect_throw<coll::timeout_error>(
                    [&] { comm.start_all_reduce(buffer, coll::sum{}, how).wait(); }, "a time-out");
                expect(coll::steady::now() - start < 5s, "in time");
                told = 1;
                expect_untouched(m, a, n, stream);
            }
            m.destroy_stream(stream);
            m.free(a);
        };
        if (threads) {
            run_threads(w, 2, body, {}, by_device);
        } else {
            run_processes(w, 2, body, {}, by_device);
        }
    }
}

TEST_CASE("devices drive: a part of the ranks that fails leaves the others' kernels alone") {
    for (bool const threads : {false, true}) {
        world w;
        auto const body = [&](auto& comm, machine& m) {
            m.use(comm.rank());
            auto* const stream = m.make_stream();
            auto whole = comm.template allocate<word>(100);
            {
                auto part = comm.split(0);
                if (comm.rank() == 0) {
                    comm.all_reduce(whole, coll::sum{}, {.stream = stream});  // waits for rank 1
                    std::this_thread::sleep_for(50ms);
                    part.abort("enough");
                } else {
                    expect_throw<coll::error>([&] { part.barrier(); }, "an end");
                }
            }
            if (comm.rank() == 1) { comm.all_reduce(whole, coll::sum{}, {.stream = stream}); }
            m.synchronize(stream);
            comm.all_reduce(whole);
            m.destroy_stream(stream);
        };
        if (threads) {
            run_threads(w, 2, body, {}, by_device);
        } else {
            run_processes(w, 2, body, {}, by_device);
        }
    }
}

TEST_CASE("devices drive: `test` does not wait for a kernel where a peer frees what it has shown") {
    world w;
    run_processes(
        w, 2,
        [&](auto& comm, machine& m) {
            std::size_t const n = 2'000;
            auto* const stream = m.make_stream();
            auto kept = comm.template allocate<word>(n);
            {
                auto freed = comm.template allocate<word>(n);
                open_all(comm, m, std::span(freed), std::span(kept));
            }
            comm.barrier();
            auto& told = w.shared().told;
            auto const start = coll::steady::now();
            if (comm.rank() == 1) {
                auto pending = comm.start_all_reduce(
                    kept, coll::sum{}, {.algorithm = coll::two_shot{}, .stream = stream});
                for (int i = 0; i < 100; ++i) { expect(!pending.test(), "rank 0 has not come"); }
                told = 1;
                pending.wait();
            } else {
                while (told == 0) { std::this_thread::sleep_for(1ms); }
                comm.all_reduce(kept, coll::sum{}, {.algorithm = coll::two_shot{}});
            }
            expect(coll::steady::now() - start < 5s, "nobody has waited for the other");
            m.destroy_stream(stream);
        },
        {}, by_device);
}

TEST_CASE("devices drive: any call tells of one before that nobody has waited for") {
    for (bool const threads : {false, true}) {
        world w;
        auto const body = [&](auto& comm, machine& m) {
            m.use(comm.rank());
            auto* const stream = m.make_stream();
            auto buffer = comm.template allocate<word>(100);
            comm.barrier();
            if (comm.rank() == 0) {
                comm.all_reduce(buffer, coll::sum{}, {.timeout = 50ms, .stream = stream});
                m.synchronize(stream);
            }
            while (comm.rank() == 1 && w.shared().told == 0) { std::this_thread::sleep_for(1ms); }
            expect_throw<coll::timeout_error>([&] { comm.barrier(); }, "a time-out");
            w.shared().told = 1;
            m.destroy_stream(stream);
        };
        if (threads) {
            run_threads(w, 2, body, {}, by_device);
        } else {
            run_processes(w, 2, body, {}, by_device);
        }
    }
}

TEST_CASE("kernels of processes that wait end at once when a rank ends the communicator") {
    for (int const size : {2, 3}) {  // with a rank between that waits, and without
        for (bool const kills : {false, true}) {
            if (size == 2 && kills) { continue; }  // then nobody is left to tell
            world w;
            w.devices = size;
            auto const body = [&](auto& comm, machine& m) {
                auto* const stream = m.make_stream();
                auto* const a = m.allocate(400);
                std::span const buffer(static_cast<float*>(a), 100);
                comm.all_reduce(buffer);
                comm.barrier();
                auto const start = coll::steady::now();
                if (comm.rank() == 0) {  // does not call again
                    comm.all_reduce(buffer, coll::sum{}, {.stream = stream});
                    m.synchronize(stream);
                } else if (comm.rank() == size - 1) {
                    std::this_thread::sleep_for(50ms);
                    if (kills) { std::raise(SIGKILL); }
                    comm.abort("enough");
                } else {
                    expect_throw<coll::error>([&] { comm.all_reduce(buffer); }, "an end");
                }
                expect(coll::steady::now() - start < 5s, "at once");
                m.destroy_stream(stream);
                m.free(a);
            };
            if (!kills) {
                run_processes(w, size, body, {}, by_device);
                continue;
            }
            try {
                run_processes(w, size, body, {}, by_device);
                FAIL("nobody noticed");
            } catch (coll::run_error const& e) { CHECK(e.signal() == SIGKILL); }
        }
    }
}

TEST_CASE("a kernel that runs out of time ends those of other processes") {
    world w;
    w.devices = 3;
    run_processes(
        w, 3,
        [&](auto& comm, machine& m) {
            auto* const stream = m.make_stream();
            auto* const a = m.allocate(400);
            std::span const buffer(static_cast<float*>(a), 100);
            auto const start = coll::steady::now();
            if (comm.rank() < 2) {
                auto const time = comm.rank() == 0 ? 100ms : 60s;
                comm.all_reduce(buffer, coll::sum{}, {.timeout = time, .stream = stream});
                m.synchronize(stream);
                ++w.shared().told;
            }
            while (w.shared().told < 2) { std::this_thread::sleep_for(1ms); }
            expect(coll::steady::now() - start < 5s, "soon");
            try {
                comm.all_reduce(buffer);
                expect(false, "it has failed");
            } catch (coll::timeout_error const& e) {
                expect(e.missing() == std::vector<int>{2}, "rank 2 was missing");
                expect_part(e.what(), "rank 0's kernel ran out of time");
            }
            m.destroy_stream(stream);
            m.free(a);
        },
        {}, by_device);
}

}  // namespace fake
