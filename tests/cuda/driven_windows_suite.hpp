// SPDX-License-Identifier: BSD-3-Clause
// Device-driven calls of processes whose kernels work in each other's buffers.
#pragma once

#include <cuda/driven_suite.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fake {

using word = std::int64_t;

/// Whether two_shot from one buffer to another would go through the slots.
enum class way { slots, straight };
template <class Comm>
way way_of(Comm& comm, std::span<word const> in, std::span<word> out, bool captured = false) {
    auto const device = comm.transport().space().enter();
    auto const* const call =
        static_cast<cuda::fused_call const*>(comm.transport().driver()->describe(
            {cuda::device_request::kind::two_shot, 0, in.size(), sizeof(word), in.data(),
             out.data(), 0, std::chrono::seconds(1), captured}));
    expect((call->where_in == 0) == (call->where_out == 0), "both or none");
    return call->where_in == 0 ? way::slots : way::straight;
}
/// Fills `in`, adds up with everybody, and looks at `out`.
template <class Comm>
void add_up(Comm& comm, machine& m, std::uint64_t salt, std::span<word> in, std::span<word> out,
            void* stream = nullptr) {
    std::vector<word> host(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) { host[i] = value(comm.rank(), i, salt); }
    m.copy(in.data(), host.data(), in.size_bytes(), stream);
    comm.all_reduce(in, out, coll::sum{}, {.algorithm = coll::two_shot{}, .stream = stream});
    m.copy(host.data(), out.data(), out.size_bytes(), stream);
    m.synchronize(stream);
    for (std::size_t i = 0; i < out.size(); ++i) {
        expect(host[i] == sum_of(comm.size(), i, salt),
               [&] { return "call " + std::to_string(salt) + ", element " + std::to_string(i); });
    }
}
inline std::span<word> words(void* p, std::size_t first, std::size_t n) {
    return {static_cast<word*>(p) + first, n};
}
/// Until kernels of all ranks find all buffers: each rank starts calls after it was asked.
template <class Comm>
void open_all(Comm& comm, machine& m, std::span<word> in, std::span<word> out) {
    for (std::uint64_t turn = 0; turn < 3; ++turn) {
        add_up(comm, m, 900 + turn, in, out);
        comm.barrier();
    }
}

TEST_CASE("devices drive: processes work in each other's buffers once these are open") {
    for (int const size : sizes({1, 2, 3})) {
        world w;
        w.devices = size;
        w.laziness = 32;
        run_processes(
            w, size,
            [&](auto& comm, machine& m) {
                std::size_t const n = 600'001;  // more than a slot holds
                auto* const a = m.allocate((n + 9) * sizeof(word));
                auto b = comm.template allocate<word>(n);
                auto const in = words(a, 3, n), out = std::span(b);
                expect(way_of(comm, in, out) == way::slots, "nobody has opened them");
                comm.barrier();
                open_all(comm, m, in, out);
                expect(way_of(comm, in, out) == way::straight, "all have opened them");
                expect(way_of(comm, in.first(99), out.subspan(1, 99)) == way::straight,
                       "also inside them");
                int const opened = m.opens;
                for (std::uint64_t call = 0; call < 5; ++call) {
                    add_up(comm, m, call, in, out);
                    add_up(comm, m, call + 10, out, in);
                }
                expect(m.opens == opened, "nothing is opened any more");
                comm.barrier();
                m.free(a);
            },
            {}, by_device);
    }
}

TEST_CASE("devices drive: every collective of processes in buffers that stay") {
    world w;
    w.devices = 3;
    w.laziness = 32;
    run_processes(
        w, 3,
        [&](auto& comm, machine& m) {
            std::size_t const n = 5'003;
            auto whole = comm.template allocate<word>(n);
            auto const own = coll::block(n, comm.size(), comm.rank());
            std::vector<word> host(n);
            for (std::uint64_t salt = 0; salt < 9; ++salt) {
                auto const root = static_cast<int>(salt % 3);
                for (std::size_t i = 0; i < n; ++i) { host[i] = value(comm.rank(), i, salt); }
                m.copy(whole.data(), host.data(), n * sizeof(word), nullptr);
                auto const block = std::span(whole).subspan(own.first, own.size);
                comm.reduce_scatter(whole, block, coll::sum{}, {.algorithm = coll::two_shot{}});
                comm.all_gather(block, whole, {.algorithm = coll::two_shot{}});
                if (comm.rank() != root) { m.zero(whole.data(), n * sizeof(word), nullptr); }
                comm.broadcast(whole, root, {.algorithm = coll::one_shot{}});
                m.copy(host.data(), whole.data(), n * sizeof(word), nullptr);
                m.synchronize(nullptr);
                for (std::size_t i = 0; i < n; ++i) {
                    expect(host[i] == sum_of(3, i, salt), "a sum, moved about");
                }
            }
        },
        {}, by_device);
}

TEST_CASE("devices drive: buffers of processes come and go at the same addresses") {
    world w;
    w.devices = 3;
    w.laziness = 16;
    run_processes(
        w, 3,
        [](auto& comm, machine& m) {
            auto* const stream = m.make_stream();
            std::size_t const n = 700;
            void *a = nullptr, *b = m.allocate(8192);
            for (std::uint64_t call = 0; call < 120; ++call) {
                auto const keeps = (call + static_cast<std::uint64_t>(comm.rank())) % 4 != 0;
                if (a == nullptr) { a = m.allocate(8192); }
                auto own = comm.template allocate<word>(n);
                add_up(comm, m, call, words(a, call % 7, n), words(b, call % 5, n), stream);
                add_up(comm, m, call, words(b, 1, n), std::span(own), stream);
                if (!keeps) {
                    m.free(b);
                    m.free(a);  // the next ones may change places
                    b = m.allocate(8192);
                    a = nullptr;
                }
            }
            comm.barrier();
            if (a != nullptr) { m.free(a); }
            m.free(b);
            m.destroy_stream(stream);
        },
        {}, by_device);
}

TEST_CASE("devices drive: a process that cannot open its peers' buffers uses their slots") {
    world w;
    run_processes(
        w, 2,
        [](auto& comm, machine& m) {
            auto a = comm.template allocate<word>(2'000);
            if (comm.rank() == 1) { m.fail("open"); }
            comm.barrier();
            open_all(comm, m, std::span(a), std::span(a));
            auto const expected = comm.rank() == 0 ? way::slots : way::straight;
            expect(way_of(comm, std::span(a), std::span(a)) == expected, "as its peer can");
        },
        {}, by_device);
    w.events_cross = false;  // so nobody could see whether a peer's kernel is through
    run_processes(
        w, 2,
        [](auto& comm, machine& m) {
            auto a = comm.template allocate<word>(2'000);
            open_all(comm, m, std::span(a), std::span(a));
            expect(way_of(comm, std::span(a), std::span(a)) == way::slots, "all use slots");
        },
        {}, by_device);
}

TEST_CASE("devices drive: what kernels know stays open, whatever else has to be closed") {
    world w;
    coll::shm::run(2, [&](auto& base) {
        auto const mine = std::make_shared<machine>(w);
        auto& m = *mine;
        m.use(base.rank());
        {
            auto comm = cuda::communicate(base, base.rank(), {mine, {}, by_device});
            auto* const kept = m.allocate(1 << 15);
            auto* other = m.allocate(1 << 13);
            auto const buffer = words(kept, 0, 2'000);
            open_all(comm, m, buffer, buffer);

            auto key = m.share(other);  // rank 1 opens it behind the library's back
            base.broadcast(key, 0);
            void* const opened = base.rank() == 1 ? m.open(key).value() : nullptr;
            base.barrier();
            m.free(other);
            other = m.allocate(1 << 13);  // at the same address
            auto const there = words(other, 0, 1'000);
            int const before = m.opens;
            open_all(comm, m, there, there);
            expect(way_of(comm, buffer, buffer) == way::straight, "both can open that");
            expect(comm.rank() == 0 || m.opens == before + 2, "rank 1 tried twice");
            auto const theirs = comm.rank() == 0 ? way::slots : way::straight;
            expect(way_of(comm, there, there) == theirs, "rank 1 cannot open what is mapped");
            for (std::uint64_t call = 0; call < 5; ++call) {
                add_up(comm, m, call, buffer.first(1'000), there);
            }
            base.barrier();
            if (opened != nullptr) { m.close(opened); }
            m.free(kept);
            m.free(other);
        }
        expect_nothing_left(m);
    });
}

TEST_CASE("devices drive: a graph of processes works in buffers that were opened before") {
    world w;
    w.devices = 3;
    w.laziness = 64;
    run_processes(
        w, 3,
        [](auto& comm, machine& m) {
            auto* const stream = m.make_stream();
            std::size_t const n = 3'000;
            auto known = comm.template allocate<word>(n), fresh = comm.template allocate<word>(n);
            open_all(comm, m, std::span(known), std::span(known));
            expect(way_of(comm, std::span(known), std::span(known), true) == way::straight,
                   "known");
            expect(way_of(comm, std::span(fresh), std::span(fresh), true) == way::slots, "fresh");
            auto const opened = m.opens.load();
            m.begin_capture(stream);
            coll::options const how{.algorithm = coll::two_shot{}, .stream = stream};
            comm.all_reduce(known, coll::sum{}, how);
            comm.all_reduce(fresh, coll::sum{}, how);
            auto const graph = m.end_capture(stream);
            std::vector<word> host(n);
            for (std::uint64_t salt = 0; salt < 12; ++salt) {
                auto const whole = salt % 2 == 0 ? std::span(known) : std::span(fresh);
                for (std::size_t i = 0; i < n; ++i) { host[i] = value(comm.rank(), i, salt); }
                m.copy(whole.data(), host.data(), n * sizeof(word), stream);
                m.replay(graph, stream);
                m.copy(host.data(), whole.data(), n * sizeof(word), stream);
                m.synchronize(stream);
                for (std::size_t i = 0; i < n; ++i) {
                    expect(host[i] == sum_of(3, i, salt), "a replay");
                }
            }
            expect(m.opens == opened, "a graph opens nothing");
            m.destroy_stream(stream);
        },
        {}, by_device);
}

TEST_CASE("there are not too many windows, and those of freed memory go first") {
    world w;
    machine m(w);
    auto const table = std::make_unique<cuda::export_table>();
    cuda::exports lines(m, table.get(), 0);
    auto const asked = [&] { return table->windows.load(); };
    std::vector<void*> all;
    auto const ask = [&] { lines.window(all.emplace_back(m.allocate(1)), 1, 6, true); };
    auto const most = cuda::location::lines / 2;
    for (std::size_t i = 0; i < most; ++i) { ask(); }
    CHECK(asked() == most);
    ask();
    CHECK(asked() == most);
    CHECK(lines.window(all[7], 1, 6, true) == 0);
    table->line[7].window |= 2;
    CHECK(lines.window(all[7], 1, 6, true) == 0);
    table->line[7].window |= 4;
    CHECK(lines.window(all[7], 1, 6, true) != 0);
    auto* const fresh = m.allocate(1);
    CHECK(lines.window(fresh, 1, 6, false) == 0);
    CHECK(lines.reach(fresh, 1) != 0);  // for calls that the host drives there is room
    m.free(all[8]);
    ask();
    CHECK(asked() == most + 1);
}

}  // namespace fake
