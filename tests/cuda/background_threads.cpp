// SPDX-License-Identifier: BSD-3-Clause
// Started calls that the host drives, on devices without a GPU: a thread enqueues them while the
// rank computes.
#include <cuda/suite_kernels.hpp>
#include <cuda/worlds.hpp>

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace fake;
using namespace std::chrono_literals;
using conformance::expect_throw;
using T = std::uint32_t;

constexpr cuda::ordering orders[] = {cuda::ordering::events, cuda::ordering::memory,
                                     cuda::ordering::host};
constexpr std::size_t n = 3'000;

void fill(machine& m, T* to, T value, cuda::stream s) {
    std::vector<T> const all(n, value);
    m.copy(to, all.data(), n * sizeof(T), s);
}
T first_of(machine& m, T const* from, cuda::stream s) {
    T first = 0;
    m.copy(&first, from, sizeof first, s);
    m.synchronize(s);
    return first;
}
int threads_now() {
    std::filesystem::directory_iterator const all("/proc/self/task");
    return static_cast<int>(std::distance(begin(all), end(all)));
}
std::chrono::microseconds processor_time() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    auto const of = [](timeval const& t) {
        return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
    };
    return of(used.ru_utime) + of(used.ru_stime);
}

}  // namespace

TEST_CASE("a started call goes on while nobody tests or waits") {
    for (auto const order : orders) {
        world w;
        w.laziness = 32;
        std::atomic<int> kernels_of_a_call = 0;
        run_threads(
            w, 3,
            [&](auto& comm, machine& m) {
                m.use(comm.rank() % w.devices);
                auto* const stream = m.make_stream();
                auto in = comm.template allocate<T>(n), out = comm.template allocate<T>(n);
                auto const start = [&] {
                    return comm.start_all_reduce(in, out, coll::sum{},
                                                 {.algorithm = coll::ring{}, .stream = stream});
                };
                int const before = m.kernels;
                comm.barrier();
                start().wait();
                comm.barrier();
                if (comm.rank() == 0) { kernels_of_a_call = m.kernels - before; }
                comm.barrier();
                int const all = kernels_of_a_call;
                expect(all > 3, "kernels that follow each other");
                fill(m, in.data(), static_cast<T>(comm.rank() + 1), stream);
                int const begun = before + all;
                comm.barrier();
                auto p = start();
                auto const end = coll::steady::now() + 20s;
                while (m.kernels < begun + all && coll::steady::now() < end) {
                    std::this_thread::sleep_for(1ms);
                }
                expect(m.kernels == begun + all, "every kernel was enqueued");
                p.wait();
                expect(first_of(m, out.data(), stream) == 6, "after what is on the stream");
                m.destroy_stream(stream);
            },
            order);
    }
}

TEST_CASE("the rank goes on meanwhile: on its base, on groups, with memory, and more calls") {
    for (auto const order : orders) {
        world w;
        auto const mine = std::make_shared<machine>(w);
        coll::threads::run(4, [&](auto& base) {
            auto const device = base.rank() % w.devices;
            mine->use(device);
            auto comm = cuda::communicate(base, device, {mine, order});
            auto half = comm.split(comm.rank() / 2);
            std::vector<T> host(100, 1);
            auto* const stream = mine->make_stream();
            for (int turn = 0; turn < 6; ++turn) {
                auto a = comm.template allocate<T>(n), b = comm.template allocate<T>(n);
                auto c = comm.template allocate<T>(n);
                fill(*mine, a.data(), 1, stream);
                fill(*mine, b.data(), 2, stream);
                fill(*mine, c.data(), 3, stream);
                auto const how = coll::options{.algorithm = coll::ring{}, .stream = stream};
                auto p = comm.start_all_reduce(a, coll::sum{}, how);
                auto q = half.start_all_reduce(b, coll::sum{}, how);
                host.assign(100, 1);
                base.all_reduce(host);
                expect(host[99] == 4, "on the base");
                auto r = base.start_all_reduce(host);
                comm.all_reduce(c, coll::sum{}, how);
                expect(first_of(*mine, c.data(), stream) == 12, "a blocking call");
                auto other = cuda::communicate(base, device, {mine, order});
                other.barrier();
                while (!p.test()) { std::this_thread::yield(); }
                expect(first_of(*mine, a.data(), stream) == 4, "the first call");
                coll::wait_all(q, r);
                expect(first_of(*mine, b.data(), stream) == 4, "the group's");
                expect(host[0] == 16, "the base's");
            }
            mine->destroy_stream(stream);
        });
        expect_nothing_left(*mine);
    }
}

TEST_CASE("what fails in the background is told by wait") {
    auto const nobody_hangs = [](auto& comm) {
        expect_throw<coll::error>([&] { comm.barrier(); }, "a call after it");
    };
    world w;
    run_threads(w, 3, [&](auto& comm, machine&) {
        expect_throw<coll::mismatch_error>(  // who comes late may hear of it sooner
            [&] {
                auto buffer = comm.template allocate<T>(n);
                auto p = comm.start_all_reduce(std::span(buffer.data(), comm.rank() == 1 ? 7 : 8));
                p.wait();
            },
            "another count");
        nobody_hangs(comm);
    });
    run_threads(w, 3, [&](auto& comm, machine&) {
        auto buffer = comm.template allocate<T>(n);
        comm.barrier();
        if (comm.rank() == 2) { std::this_thread::sleep_for(800ms); }
        try {
            auto p = comm.start_all_reduce(buffer, coll::sum{}, {.timeout = 200ms});
            if (comm.rank() != 2) { std::this_thread::sleep_for(500ms); }
            auto const begun = coll::steady::now();
            p.wait();
            expect(begun == coll::steady::time_point{}, "in time");
        } catch (coll::timeout_error const& e) { expect(e.missing() == std::vector{2}, e.what()); }
        nobody_hangs(comm);
    });
    for (auto const* const call : {"record", "passed"}) {
        run_threads(w, 3, [&](auto& comm, machine& m) {
            auto buffer = comm.template allocate<T>(n);
            comm.barrier();
            auto const text = expect_throw<coll::transport_error>(
                [&] {
                    for (int i = 0; i < 30; ++i) {
                        if (comm.rank() == 1 && i == 3) { m.fail(call, 10); }  // for all of them
                        auto p = comm.start_all_reduce(buffer, coll::sum{}, {.timeout = 20s});
                        std::this_thread::sleep_for(2ms);
                        p.wait();
                    }
                },
                call);
            expect(text.find("injected") != std::string::npos, text);
        });
    }
}

TEST_CASE("the thread sleeps while there is nothing to do, and ends with its communicator") {
    world w;
    auto const mine = std::make_shared<machine>(w);
    auto const at_first = threads_now();
    coll::threads::run(1, [&](auto& base) {
        auto const others = threads_now();
        {
            auto comm = cuda::communicate(base, 0, {mine, {}});
            auto buffer = comm.template allocate<T>(n);
            comm.all_reduce(buffer);
            auto const streams = threads_now();
            comm.start_all_reduce(buffer).wait();
            comm.start_all_reduce(buffer).wait();
            expect(threads_now() == streams + 1, "a thread, and but one");
            auto const before = processor_time();
            std::this_thread::sleep_for(400ms);
            expect(processor_time() - before < 20ms, "asleep");
        }
        expect(threads_now() == others, "it has ended");
    });
    CHECK(threads_now() == at_first);
    coll::threads::run(2, [&](auto& base) {
        auto comm = cuda::communicate(base, 0, {mine, {}});
        auto buffer = comm.template allocate<T>(n);
        comm.barrier();
        if (comm.rank() == 1) {  // late
            auto const before = processor_time();
            std::this_thread::sleep_for(600ms);
            expect(processor_time() - before < 60ms, "nor does who waits keep a core busy");
        }
        auto p = comm.start_all_reduce(buffer);
        if (comm.rank() == 0) { std::this_thread::sleep_for(600ms); }
        p.wait();
    });
    expect_nothing_left(*mine);
}
