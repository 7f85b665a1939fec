// SPDX-License-Identifier: BSD-3-Clause
// Buffers of any kind in devices' memory, and what becomes of handles. These devices do not reach
// the host's memory.
#pragma once

#include <collectives/transport/cuda/exports.hpp>
#include <collectives/transport/cuda/mappings.hpp>

#include <cuda/worlds.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fake {

using T = std::uint32_t;
using conformance::scramble;

constexpr cuda::ordering all_orders[] = {cuda::ordering::events, cuda::ordering::memory,
                                         cuda::ordering::host};

inline T value(std::uint64_t call, int rank, std::size_t i) {
    return static_cast<T>(scramble(call << 40 | static_cast<std::uint64_t>(rank) << 32 | i));
}
/// Fills `in`, adds up with everybody, and looks at `out`.
template <class Comm>
void add_up(Comm& comm, std::uint64_t call, std::span<T> in, std::span<T> out,
            coll::options const& how = {}) {
    for (std::size_t i = 0; i < in.size(); ++i) { in[i] = value(call, comm.rank(), i); }
    comm.all_reduce(in, out, coll::sum{}, how);
    for (std::size_t i = 0; i < out.size(); ++i) {
        T sum = 0;
        for (int r = 0; r < comm.size(); ++r) { sum += value(call, r, i); }
        expect(out[i] == sum,
               [&] { return "call " + std::to_string(call) + ", element " + std::to_string(i); });
    }
}
inline T* elements(void* p, std::size_t first = 0) { return static_cast<T*>(p) + first; }

TEST_CASE("pointers inside allocations that come and go at the same addresses") {
    world w;
    run_processes(w, 3, [](auto& comm, machine& m) {
        std::size_t const n = 700;
        for (std::uint64_t call = 0; call < 60; ++call) {
            auto* const a = m.allocate(8192);
            auto* const b = m.allocate(8192);
            auto const from = elements(a, 1 + call % 7), to = elements(b, 3 + call % 5);
            add_up(comm, call, {from, n}, {to, n});
            add_up(comm, call + 1'000, {to, n}, {to, n}, {.algorithm = coll::ring{}});
            m.free(a);
            m.free(b);
        }
        comm.barrier();
        expect(m.live_mappings() <= 2 * 2 + 2 * 16, "what its owners have freed is closed");
    });
}

TEST_CASE("handles are opened once") {
    world w;
    run_processes(w, 2, [](auto& comm, machine& m) {
        auto* const a = m.allocate(1 << 16);
        auto mine = comm.template allocate<T>(5'000);
        for (std::uint64_t call = 0; call < 5; ++call) {
            add_up(comm, call, {elements(a), 5'000}, {mine.data(), 5'000});
        }
        int const opened = m.opens;
        for (std::uint64_t call = 5; call < 200; ++call) {
            auto const at = call % 1'000;
            add_up(comm, call, {elements(a, at), 3'000}, {mine.data() + at, 3'000});
        }
        expect(m.opens == opened, "nothing is opened in the steady state");
        comm.barrier();
        m.free(a);
    });
}

TEST_CASE("memory that cannot be shared meets memory that can") {
    for (auto const order : all_orders) {
        for (bool const threads : {true, false}) {
            CAPTURE(threads);
            world w;
            auto const body = [](auto& comm, machine& m) {
                auto shared = comm.template allocate<T>(40'000);
                auto* const pool = m.allocate_private(40'000 * sizeof(T));
                std::uint64_t call = 0;
                for (auto const algorithm : coll::all_algorithms) {
                    for (std::size_t const n : {std::size_t{5}, std::size_t{40'000}}) {
                        auto const mixed = (call + static_cast<std::uint64_t>(comm.rank())) % 3;
                        std::span const in(mixed == 0 ? elements(pool) : shared.data(), n);
                        std::span const out(mixed == 1 ? elements(pool) : shared.data(), n);
                        add_up(comm, ++call, in, mixed == 2 ? in : out, {.algorithm = algorithm});
                    }
                }
                m.free(pool);
            };
            if (threads) {
                run_threads(w, 3, body, order);
            } else {
                run_processes(w, 3, body, order);
            }
        }
    }
}

TEST_CASE("buffers that one rank frees while others have them open") {
    world w;
    run_processes(w, 3, [](auto& comm, machine& m) {
        for (std::uint64_t call = 0; call < 30; ++call) {
            auto buffer = comm.template allocate<T>(3'000);
            add_up(comm, call, {buffer.data(), 3'000}, {buffer.data(), 3'000});
        }
        comm.barrier();
        auto buffer = comm.template allocate<T>(1);  // looks who lets go
        comm.barrier();
        expect(m.live_allocations() < 30, [&] {
            return std::to_string(m.live_allocations()) + " allocations, though peers let go";
        });
    });
}

TEST_CASE("of entries that are used up, one that no peer holds is used again") {
    world w;
    machine m(w);
    auto const table = std::make_unique<cuda::export_table>();
    cuda::exports entries(m, table.get(), 0);
    auto const next = [&] { return entries.reach(m.allocate(1), 1); };
    auto const entry = [](std::uint64_t packed) { return cuda::location::of(packed).entry; };
    auto const most = cuda::location::entries;
    auto* const first = m.allocate(1);
    CHECK(entry(entries.reach(first, 1)) == 0);
    for (std::size_t i = 1; i < most; ++i) { CHECK(entry(next()) == i); }
    for (auto const held : {0U, 1U, 2U, 4U}) { table->entry[held].users = 1; }
    CHECK(entries.retire(first) == 0);
    CHECK(entry(next()) == 3);
    for (auto& l : table->entry) { l.users = 1; }
    CHECK(entry(next()) == 1);  // the oldest; 0 waits for its peers
    for (auto& l : table->entry) { l.retired = 1; }
    CHECK(next() == 0);
    table->entry[0].users = 0;
    CHECK(entry(next()) == 0);
}

TEST_CASE("several communicators share what is open") {
    world w;
    run_processes(w, 2, [](auto& comm, machine& m) {
        auto* const a = m.allocate(4'096);
        for (int turn = 0; turn < 3; ++turn) {
            auto row = comm.split(0);
            coll::counted counts;
            auto adapted = comm.with(counts);
            add_up(row, 1, {elements(a), 900}, {elements(a), 900});
            add_up(adapted, 2, {elements(a), 900}, {elements(a), 900}, {.algorithm = coll::ring{}});
            add_up(adapted, 3, {elements(a), 900}, {elements(a), 900},
                   {.algorithm = coll::one_shot{}});
            expect(counts.sent() != 0, "messages are counted");
            auto fresh = adapted.template allocate<T>(900);
            expect(std::count(fresh.data(), fresh.data() + 900, T{0}) == 900, "zeroed");
        }
        comm.barrier();
        m.free(a);
    });
}

TEST_CASE("a call comes after what is on its stream") {
    for (auto const order : all_orders) {
        world w;
        w.laziness = 1;  // everything is late
        run_threads(
            w, 2,
            [](auto& comm, machine& m) {
                m.use(comm.rank());
                auto const mine = m.make_stream();
                auto a = comm.template allocate<T>(2'000);
                auto source = comm.template allocate<T>(2'000);
                for (T turn = 1; turn < 20; ++turn) {
                    std::fill_n(source.data(), 2'000, turn);
                    m.copy(a.data(), source.data(), 2'000 * sizeof(T),
                           turn % 3 == 0 ? nullptr : mine);
                    if (turn % 2 == 0) {
                        comm.all_reduce(a, coll::sum{}, {.stream = turn % 3 == 0 ? nullptr : mine});
                    } else {
                        auto started = comm.start_all_reduce(
                            a, coll::sum{}, {.stream = turn % 3 == 0 ? nullptr : mine});
                        started.wait();
                    }
                    expect(a.data()[1'999] == 2 * turn, "the input is what the stream makes of it");
                }
                m.destroy_stream(mine);
            },
            order);
    }
}

TEST_CASE("the order is kept by the first way that works") {
    auto const kept_by = [](world& w, cuda::ordering expected) {
        run_processes(w, 3, [&](auto& comm, machine&) {
            expect(cuda::space_of(comm).ordered_by() == expected, "another way");
            auto a = comm.template allocate<T>(1'000);
            add_up(comm, 1, {a.data(), 1'000}, {a.data(), 1'000});
        });
    };
    world w;
    w.devices = 3;
    kept_by(w, cuda::ordering::events);
    w.events_cross = false;
    kept_by(w, cuda::ordering::memory);
    w.words_flush = false;  // so that what other devices write might come later than their words
    kept_by(w, cuda::ordering::host);
    w.devices = 1;
    kept_by(w, cuda::ordering::host);  // processes that share a device
    w.share = 30;
    kept_by(w, cuda::ordering::memory);
    w.words_are_lost = true;
    kept_by(w, cuda::ordering::host);
    auto const refused = [&](std::string const& why) {
        coll::shm::run(2, [&](auto& base) {
            auto const mine = std::make_shared<machine>(w);
            auto const text = conformance::expect_throw<coll::transport_error>(
                [&] {
                    cuda::communicate(base, 0, {mine, cuda::ordering::memory});
                },
                why);
            expect(text.find("rank 0: " + why) != std::string::npos, text);
            expect_nothing_left(*mine);
        });
    };
    refused("what its stream writes into the host's memory does not come there");
    w.words = false;
    refused("its device's streams do not wait for words in memory");
}

TEST_CASE("ranks that share no host memory by themselves meet on their machine") {
    world w;
    coll::shm::run(3, [&](auto& base) {
        auto const mine = std::make_shared<machine>(w);
        {
            auto adapted = base.with(coll::counted{});  // messages alone, as MPI or UCX
            auto comm = cuda::communicate(adapted, 0, {mine, {}});
            auto a = comm.template allocate<T>(1'000);
            add_up(comm, 1, {a.data(), 1'000}, {a.data(), 1'000});
        }
        expect_nothing_left(*mine);
    });
    auto const one = std::make_shared<machine>(w);
    coll::threads::run(2, [&](auto& base) {
        auto adapted = base.with(coll::counted{});
        auto const text = conformance::expect_throw<coll::usage_error>(
            [&] {
                cuda::communicate(adapted, 0, {one, {}});
            },
            "threads");
        expect(text.find("threads of one process") != std::string::npos, text);
    });
}

}  // namespace fake
