// SPDX-License-Identifier: BSD-3-Clause
// Many calls in a row of ranks that come late: shapes, memory and communicators change from call to
// call, and every vector is written anew as soon as the call before has returned.
#pragma once

#include <conformance/cells.hpp>
#include <conformance/delays.hpp>
#include <conformance/suites.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

namespace conformance {

/// Elements that fit beside a stamp, in a small cell, in a large one, beside the cells; that are
/// read where they lie, copied or pushed; in one piece, several passes or several segments.
inline constexpr std::array<std::size_t, 16> late_counts{
    1, 13, 100, 257, 500, 700, 1'500, 2'048, 2'049, 5'000, 3, 20'000, 64, 9'000, 70'000, 300'000};

/// Call number `call` of a sequence that is the same on all ranks.
inline setup late_setup(std::uint64_t call, int size, std::vector<coll::any_algorithm> const& by) {
    auto const h = scramble(call);
    auto const p = static_cast<std::size_t>(size);
    setup s;
    s.what = moving_collectives[h % moving_collectives.size()];
    s.how.algorithm = by[h / 8 % by.size()];
    s.count = late_counts[h / 1'024 % late_counts.size()];
    if (s.what == coll::collective::all_to_all) { s.count = (s.count + p - 1) / p * p; }
    s.root = static_cast<int>(h / 65'536 % p);
    s.in_place = h / 1'000'000 % 2 == 1;
    s.started = h / 2'000'000 % 2 == 1;
    s.where = static_cast<memory>(h / 4'000'000 % 3);
    s.how.segment =
        h / 12'000'000 % 2 == 0 ? coll::chosen_segment : segment_for(s.count * 4, h / 24'000'000);
    s.salt = h;
    return s;
}

/// Before a call: one rank or another is late.
inline void come_late(coll::communicator const& comm, std::uint64_t call) {
    auto const h = scramble(call * 64 + static_cast<std::uint64_t>(comm.rank()));
    if (h % 5 == 0) { std::this_thread::sleep_for(std::chrono::microseconds(h / 5 % 500)); }
}

/// Calls of changing shapes; fewer where each of them takes long.
template <class World>
inline constexpr std::uint64_t late_calls = 250;

TEST_CASE_TEMPLATE_DEFINE("late ranks, calls of changing shapes", World, changing_shapes) {
    for (int const size : sizes({2, 3, 5})) {
        CAPTURE(size);
        World::run(size, [size](coll::communicator& comm) {
            arena<std::uint32_t> mine(comm, 300'008);
            auto part = comm.split(comm.rank() / 2);
            auto const all = algorithms_and_automatic(size);
            auto const for_part = algorithms_and_automatic(part.size());
            for (std::uint64_t call = 0; call < late_calls<World>; ++call) {
                come_late(comm, call);
                if (call % 7 == 3) {
                    mine.run(part, late_setup(call, part.size(), for_part));
                } else {
                    mine.run(comm, late_setup(call, size, all));
                }
            }
        });
    }
}

/// One root after the other is as far ahead as it may be, on communicators that are new or not.
TEST_CASE_TEMPLATE_DEFINE("late ranks, roots that run ahead", World, roots_ahead) {
    for (int const size : sizes({2, 3})) {
        CAPTURE(size);
        World::run(size, [size](coll::communicator& base) {
            arena<std::uint32_t> mine(base, 300'008);
            constexpr std::array<std::size_t, 6> counts{40, 500, 2'048, 4'000, 20'000, 200'000};
            constexpr std::array kinds{coll::collective::broadcast, coll::collective::scatter,
                                       coll::collective::reduce,    coll::collective::gather,
                                       coll::collective::scan,      coll::collective::exscan};
            for (std::size_t i = 0; i < counts.size() * kinds.size(); ++i) {
                auto comm = base.split(0);
                setup s;
                s.what = kinds[i % kinds.size()];
                s.count = counts[i / kinds.size()];
                // Rank 0 of a scan needs nothing of the others, as the root of a broadcast.
                s.root = coll::is_prefix(s.what) ? 0 : static_cast<int>(i) % size;
                if (i % 3 == 1) { s.how.algorithm = coll::star{}; }
                auto const calls = s.count <= 500 ? 140 : s.count <= 4'000 ? 40 : 22;
                // Of those that others need nothing of until the end all but one come late.
                auto const ahead = s.what == coll::collective::broadcast ||
                                   s.what == coll::collective::scatter || coll::is_prefix(s.what);
                for (int call = 0; call < calls; ++call) {
                    s.salt = i * 1'000 + static_cast<std::uint64_t>(call);
                    auto const first = ahead ? s.root : (s.root + 1) % size;
                    auto const is_late =
                        comm.rank() != first && (ahead || size == 2 || comm.rank() != s.root);
                    if (is_late && call % 20 == 0) {
                        std::this_thread::sleep_for(std::chrono::milliseconds(3));
                    }
                    if (is_late) { delays::moment(4); }
                    mine.run(comm, s);
                }
            }
        });
    }
}

/// Sums that go to the outputs of those who take them, and are read by the others: each rank has
/// its vectors where it likes, in place or not.
TEST_CASE_TEMPLATE_DEFINE("late ranks, sums that are pushed", World, pushed_sums) {
    for (int const size : sizes({2, 3, 4})) {
        CAPTURE(size);
        World::run(size, [size](coll::communicator& comm) {
            arena<std::uint32_t> mine(comm, 300'008);
            constexpr std::array<std::size_t, 4> counts{5'000, 20'000, 60'000, 300'000};
            for (std::uint64_t call = 0; call < 60; ++call) {
                auto const own = scramble(call * 8 + static_cast<std::uint64_t>(size) * 1'000 +
                                          static_cast<std::uint64_t>(comm.rank()));
                setup s;
                s.what = coll::collective::all_reduce;
                s.how.algorithm = coll::two_shot{};
                s.how.segment = call % 2 == 0 ? 0 : coll::chosen_segment;
                s.count = counts[call / 2 % counts.size()];
                s.in_place = own % 2 == 1;
                s.where = own / 2 % 2 == 1 ? memory::own : memory::allocated;
                s.salt = call;
                come_late(comm, call);
                mine.run(comm, s);
            }
        });
    }
}

/// A rank that has done its part goes, with all its memory, and others still need what it left.
TEST_CASE_TEMPLATE_DEFINE("late ranks, others have left", World, others_left) {
    constexpr std::array<std::size_t, 4> counts{40, 2'000, 20'000, 100'000};
    for (auto const n : counts) {
        CAPTURE(n);
        World::run(5, [n](coll::communicator& comm) {
            std::vector<std::uint32_t> v(n);
            for (std::uint32_t call = 0; call < 3; ++call) {
                if (comm.rank() == 0) {
                    std::fill(v.begin(), v.end(), 17 + call);
                } else if (call == 2 && comm.rank() <= 2) {  // others need these two
                    std::this_thread::sleep_for(std::chrono::milliseconds(60));
                }
                comm.broadcast(v, 0, {.algorithm = coll::tree{}});
                expect(v == std::vector(n, 17 + call), "what a rank left that has gone");
            }
        });
    }
}

TEST_CASE_TEMPLATE_DEFINE("late ranks, several calls under way", World, late_started) {
    for (int const size : sizes({2, 3, 5})) {
        CAPTURE(size);
        World::run(size, [](coll::communicator& comm) {
            for (std::uint64_t seed = 20; seed < 20 + late_calls<World> / 60; ++seed) {
                run_several(comm, seed, seed % 2 == 1);
            }
        });
    }
}

/// The composition of x -> a x + b, whose order shows.
struct composed {
    std::uint32_t a = 1, b = 0;
    friend bool operator==(composed, composed) = default;
};
inline composed then(composed f, composed g) { return {g.a * f.a, g.a * f.b + g.b}; }

TEST_CASE_TEMPLATE_DEFINE("late ranks, operators that do not commute", World, late_order) {
    for (int const size : sizes({2, 3, 5})) {
        CAPTURE(size);
        World::run(size, [size](coll::communicator& comm) {
            int refused = 0;
            std::uint32_t call = 0;
            for (auto const& algorithm : algorithms_and_automatic(size)) {
                for (auto const n : std::array<std::size_t, 4>{7, 400, 3'000, 40'000}) {
                    come_late(comm, ++call);
                    auto const value = [&](int r, std::size_t i) {
                        auto const x = static_cast<std::uint32_t>(
                            scramble((call * std::uint64_t{100'000} + i) * 8 +
                                     static_cast<std::uint64_t>(r)));
                        return composed{x | 1U, x >> 7};
                    };
                    std::vector<composed> in(n), out(n);
                    for (std::size_t i = 0; i < n; ++i) { in[i] = value(comm.rank(), i); }
                    try {
                        comm.all_reduce(in, out, then, {.algorithm = algorithm});
                    } catch (coll::usage_error const&) {
                        ++refused;
                        continue;
                    }
                    for (std::size_t i = 0; i < n; ++i) {
                        auto expected = value(0, i);
                        for (int r = 1; r < size; ++r) { expected = then(expected, value(r, i)); }
                        expect(out[i] == expected, [&] {
                            return std::string(algorithm.name()) + ", element " + std::to_string(i);
                        });
                    }
                }
            }
            expect(refused < 40, "some algorithms keep the order");
        });
    }
}

}  // namespace conformance
