// SPDX-License-Identifier: BSD-3-Clause
// Caller's mistakes on devices, and calls of CUDA that fail: every rank hears of it, nothing hangs,
// and nothing is left.
#pragma once

#include <cuda/worlds.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace fake {

using namespace std::chrono_literals;
using conformance::expect_throw;

inline constexpr cuda::ordering every_order[] = {cuda::ordering::events, cuda::ordering::memory,
                                                 cuda::ordering::host};

inline void expect_text(std::string const& text, std::string const& part) {
    expect(text.find(part) != std::string::npos, [&] { return "'" + part + "' in: " + text; });
}

TEST_CASE("ranks without a device, or with one that is not there") {
    world w;
    w.devices = 0;
    auto const none = std::make_shared<machine>(w);
    coll::threads::run(2, [&](auto& base) {
        expect_text(expect_throw<coll::transport_error>(
                        [&] {
                            cuda::communicate(base, 0, {none, {}});
                        },
                        "no device"),
                    "there is no CUDA device");
        base.barrier();  // the ranks may go on without
    });
    world other;
    auto const two = std::make_shared<machine>(other);
    coll::threads::run(3, [&](auto& base) {
        auto const wrong = base.rank() == 1 ? 7 : 0;
        expect_text(expect_throw<coll::transport_error>(
                        [&] {
                            cuda::communicate(base, wrong, {two, {}});
                        },
                        "device 7"),
                    "rank 1: there is no device 7: there are 2");
        auto const order = base.rank() == 2 ? cuda::ordering::host : cuda::ordering::events;
        expect_throw<coll::usage_error>(
            [&] {
                cuda::communicate(base, 0, {two, order});
            },
            "orders");
    });
    expect_nothing_left(*two);
}

TEST_CASE("threads whose devices do not reach each other") {
    world w;
    w.peers_reach = false;
    auto const mine = std::make_shared<machine>(w);
    for (auto const order : {cuda::ordering::events, cuda::ordering::host}) {
        coll::threads::run(3, [&](auto& base) {
            auto const text = expect_throw<coll::transport_error>(
                [&] {
                    cuda::communicate(base, base.rank() / 2, {mine, order});
                },
                "out of reach");
            expect_text(text, "rank " + std::to_string(base.rank()) + ", cuda::communicator: ");
            expect_text(text,
                        "rank 0: its device 0 does not reach the memory of device 1, of rank 2");
            mine->use(1);
            auto comm = cuda::communicate(base, 1, {mine, order});  // it reaches itself
            auto buffer = comm.template allocate<float>(100);
            comm.all_reduce(buffer);
        });
    }
    expect_nothing_left(*mine);
}

TEST_CASE("mistakes are found before anything is sent") {
    world w;
    run_threads(w, 2, [](auto& comm, machine& m) {
        auto buffer = comm.template allocate<float>(100);
        std::vector<float> host(100);
        auto const refused = [&](auto const& call, std::string const& part) {
            expect_text(expect_throw<coll::usage_error>(call, part), part);
        };
        refused(
            [&] { comm.all_reduce(host, buffer); },
            "rank " + std::to_string(comm.rank()) + ", all_reduce #2: a buffer is no memory that");
        refused([&] { comm.all_gather(std::span(buffer.data(), 50), host); },
                "all_gather #2: a buffer");
        refused([&] { comm.send(host, 0); }, "send #1: a buffer");
        refused([&] { comm.all_reduce(buffer, coll::min{}); }, "no kernel of min on float");
        refused([&] { comm.all_reduce(buffer, [](float a, float) { return a; }); }, "no kernel of");
        m.use(comm.rank());
        auto const own = m.make_stream();
        m.use(1 - comm.rank());
        auto const other = m.make_stream();
        m.use(comm.rank());
        refused([&] { comm.all_reduce(buffer, coll::sum{}, {.stream = other}); },
                "all_reduce #2: the stream is of device ");
        m.of(own).captures = true;
        refused([&] { comm.barrier({.stream = own}); }, "barrier #2: the stream captures a graph");
        comm.all_reduce(buffer);  // it is none the worse for all that
        m.destroy_stream(own);
        m.destroy_stream(other);
    });
    coll::threads::run(1, [](auto& comm) {
        int x = 0;
        std::vector<int> v(3);
        auto const text = expect_throw<coll::usage_error>(
            [&] { comm.all_reduce(v, coll::sum{}, {.stream = &x}); }, "a stream on the host");
        expect_text(text, "a stream is for communicators of devices alone");
    });
}

TEST_CASE("a call of CUDA that fails in the middle reaches every rank") {
    for (bool const threads : {true, false}) {
        for (auto const order : every_order) {
            for (auto const* const call :
                 {"record", "wait", "passed", "open", "share", "write_word", "wait_word"}) {
                std::string const name(call);
                auto const words = name.ends_with("_word");
                if (threads && (name == "open" || name == "share")) { continue; }
                if (order == cuda::ordering::host && name == "wait") { continue; }
                if (words != (order == cuda::ordering::memory)) { continue; }
                CAPTURE(threads);
                CAPTURE(call);
                world w;
                auto const body = [&](auto& comm, machine& m) {
                    if (comm.rank() == 1) {
                        m.fail(call, words ? 10 : 20);
                    }  // on threads for all of them
                    auto const text = expect_throw<coll::transport_error>(
                        [&] {
                            auto buffer = comm.template allocate<float>(5'000);
                            for (int i = 0; i < 100; ++i) {
                                auto fresh = comm.template allocate<float>(5'000);
                                comm.all_reduce(fresh, buffer, coll::sum{}, {.timeout = 20s});
                                // What is copied after the last peer was told is noted by an event.
                                auto const own = coll::block(5'000, comm.size(), comm.rank()).size;
                                comm.all_gather(std::span(fresh.data(), own), buffer,
                                                {.algorithm = coll::ring{}, .timeout = 20s});
                            }
                        },
                        call);
                    expect_text(text, "injected");
                };
                if (threads) {
                    run_threads(w, 3, body, order);
                } else {
                    run_processes(w, 3, body, order);
                }
            }
        }
    }
}

TEST_CASE("a message that cannot be started reaches those who wait for it") {
    for (bool const threads : {true, false}) {
        CAPTURE(threads);
        world w;
        auto const body = [&](auto& comm, machine& m) {
            auto buffer = comm.template allocate<float>(100);
            auto const text = expect_throw<coll::transport_error>(
                [&] {
                    if (comm.rank() == 1) {
                        for (int const other : {0, 2}) { comm.recv(buffer, other); }
                        m.fail("copy");  // now that all have met
                        comm.send(buffer, 0);
                    } else {
                        comm.send(buffer, 1);
                        comm.recv(buffer, 1, 0, {.timeout = 20s});
                    }
                },
                "a message");
            expect_text(text, comm.rank() == 1 ? "copy: injected" : "send: on rank 1: copy: inj");
            expect_throw<coll::transport_error>([&] { comm.barrier(); }, "a barrier after it");
        };
        if (threads) {
            run_threads(w, 3, body);
        } else {
            run_processes(w, 3, body);
        }
    }
}

TEST_CASE("a device that fails for good: its first failure is told, and destructors go on") {
    for (bool const threads : {true, false}) {
        for (auto const order : every_order) {
            CAPTURE(threads);
            auto const* const call = order == cuda::ordering::events   ? "record"
                                     : order == cuda::ordering::memory ? "write_word"
                                                                       : "synchronize";
            world w;
            auto const body = [&](auto& base, std::shared_ptr<machine> const& m) {
                auto const device = base.rank() % w.devices;
                m->use(device);
                auto comm = cuda::communicate(base, device, {m, order});
                auto buffer = comm.template allocate<float>(5'000);
                auto out = comm.template allocate<float>(5'000);
                base.barrier();
                if (base.rank() == 1) {  // on threads for all of them
                    m->fail(call, 20);
                    m->fail("free");
                }
                base.barrier();
                auto const text = expect_throw<coll::transport_error>(
                    [&] {
                        for (int i = 0; i < 100; ++i) {
                            comm.all_reduce(buffer, out, coll::sum{}, {.timeout = 20s});
                        }
                    },
                    "a failure");
                expect_text(text, std::string(call) + ": injected");
                if (base.rank() == 1) { m->fail("synchronize"); }
            };
            if (threads) {
                auto const mine = std::make_shared<machine>(w);
                coll::threads::run(3, [&](auto& base) { body(base, mine); });
            } else {
                coll::shm::run(3, [&](auto& base) { body(base, std::make_shared<machine>(w)); });
            }
        }
    }
}

TEST_CASE("ranks that call different things, or late, or not at all") {
    for (bool const threads : {true, false}) {
        CAPTURE(threads);
        world w;
        auto const mismatch = [](auto& comm, machine&) {
            auto const n = comm.rank() == 1 ? 2'000U : 3'000U;
            expect_throw<coll::mismatch_error>(
                [&] {
                    auto buffer = comm.template allocate<float>(3'000);
                    comm.all_reduce(std::span(buffer.data(), n));
                },
                "another count");
        };
        auto const late = [](auto& comm, machine&) {
            auto buffer = comm.template allocate<float>(3'000);
            comm.barrier();
            if (comm.rank() == 2) { std::this_thread::sleep_for(600ms); }
            try {
                comm.all_reduce(buffer, coll::sum{}, {.timeout = 300ms});
                expect(false, "in time");
            } catch (coll::timeout_error const& e) {
                expect(e.missing() == std::vector{2}, e.what());
            }
        };
        auto const aborted = [](auto& comm, machine&) {
            auto buffer = comm.template allocate<float>(300'000);
            try {
                comm.barrier();
                if (comm.rank() == 0) { comm.abort("enough"); }
                for (int i = 0; i < 1'000; ++i) { comm.all_reduce(buffer); }
                expect(false, "went on");
            } catch (coll::error const& e) { expect_text(e.what(), "enough"); }
        };
        if (threads) {
            run_threads(w, 3, mismatch);
            run_threads(w, 3, late);
            run_threads(w, 3, aborted);
        } else {
            run_processes(w, 3, mismatch);
            run_processes(w, 3, late);
            run_processes(w, 3, aborted);
        }
    }
}

}  // namespace fake
