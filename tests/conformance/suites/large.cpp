// SPDX-License-Identifier: BSD-3-Clause
// Vectors so large that sums are written to ranks that can be reached, to all or to those in place,
// and read by the others.
#include <collectives/communicator/core.hpp>
#include <collectives/core/caches.hpp>

#include <conformance/suites.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace conformance {

namespace {

/// Which ranks pass allocated memory, and which theirs in place, changes from call to call; each
/// call has its own values. `term(call, rank, i)` and `expected(call, i)` make elements.
template <class T, class Op, class Term, class Expected>
void large_all_reduces(coll::communicator& comm, std::size_t n, Op op, coll::options const& how,
                       Term&& term, Expected&& expected) {
    auto const me = static_cast<unsigned>(comm.rank());
    auto shared = comm.allocate<T>(2 * n);
    std::vector<T> own(2 * n);
    int const calls = with_sanitizers() ? 3 : 6;
    for (int call = 0; call < calls; ++call) {
        auto const seed = scramble(static_cast<std::uint64_t>(call) * 3 + n);
        auto const private_here = call >= 2 && (seed >> me & 1) != 0;
        auto const in_place = call % 3 == 2 || (call % 3 == 1 && (me + seed) % 2 != 0);
        auto* const start = private_here ? own.data() : shared.data();
        std::span const in(start, n), out(start + (in_place ? 0 : n), n);
        for (std::size_t i = 0; i < n; ++i) { in[i] = term(call, comm.rank(), i); }
        comm.all_reduce(in, out, op, how);
        for (std::size_t i = 0; i < n; ++i) {
            expect(out[i] == expected(call, i), [&] {
                return std::string(how.algorithm.name()) + ", " + std::to_string(n) +
                       " elements, call " + std::to_string(call) + ", element " + std::to_string(i);
            });
        }
        std::fill(out.begin(), out.end(), T{});
    }
}

/// A map x -> a x + b modulo 2^32, with something to carry that does not divide a page. Their
/// composition does not commute.
struct large_map {
    std::uint32_t a = 1, b = 0, ballast = 7;
    friend bool operator==(large_map const&, large_map const&) = default;
};
struct compose {
    large_map operator()(large_map f, large_map g) const {
        return {f.a * g.a, f.a * g.b + f.b, f.ballast};
    }
};

}  // namespace

void large_vectors(coll::communicator& comm) {
    auto const size = comm.size();
    auto const random = [](int call, int rank, std::size_t i) {
        return scramble(static_cast<std::uint64_t>(call * 64 + rank) << 32 | i);
    };
    auto const sum = [&](int call, std::size_t i) {
        std::uint64_t total = 0;
        for (int r = 0; r < size; ++r) { total += random(call, r, i); }
        return total;
    };
    for (std::size_t const n : {std::size_t{131'072}, std::size_t{150'001}}) {
        large_all_reduces<std::uint64_t>(comm, n, coll::sum{}, {}, random, sum);
    }
    for (coll::any_algorithm const a :
         {coll::any_algorithm{coll::two_shot{}}, coll::any_algorithm{coll::ring{}},
          coll::any_algorithm{coll::mixed_radix{}}}) {
        large_all_reduces<std::uint64_t>(comm, 300'001, coll::sum{}, {.algorithm = a, .segment = 0},
                                         random, sum);
    }
    // Sums are written to those ranks alone that are in place: by the algorithms of two rounds in
    // which each chunk is added up once, which between two ranks are most of them.
    for (auto const name : {"ring", "halving", "circulant", "mixed_radix", "butterfly", "one_shot",
                            "two_shot", "tree", "star", "automatic"}) {
        for (std::size_t const n : {std::size_t{2'049}, std::size_t{9'001}, std::size_t{100'003}}) {
            large_all_reduces<std::uint64_t>(
                comm, n, coll::sum{}, {.algorithm = coll::parse_algorithm(name)}, random, sum);
        }
    }
    // Stores also go past the caches, and to ranks out of place that hold that a push pays.
    auto& watch = core_of(comm)->engine().push_watch;
    for (bool const all_do : {true, false}) {
        watch = coll::detail::store_probe(
            coll::detail::store_probe::time_per_line(all_do || comm.rank() % 2 == 0 ? -1e9 : 1e9));
        std::array<std::byte, 4096> some{};
        for (int look = 0; look < 3; ++look) { watch.best(some.data(), some.size()); }
        for (auto const name : {"ring", "two_shot", "butterfly"}) {
            for (std::size_t const n : {std::size_t{9'001}, std::size_t{200'001}}) {
                large_all_reduces<std::uint64_t>(
                    comm, n, coll::sum{}, {.algorithm = coll::parse_algorithm(name)}, random, sum);
            }
        }
    }
    watch = coll::detail::store_probe();
    // Rooted calls after such, whose readers come late: they must be waited for.
    for (auto const name : {"tree", "star", "halving"}) {
        auto data = comm.allocate<std::uint64_t>(9'000);
        for (int turn = 0; turn < (with_sanitizers() ? 1 : 3); ++turn) {
            for (std::size_t call = 0; call < coll::channels_per_rank; ++call) {
                comm.all_reduce(data, coll::sum{}, {.algorithm = coll::two_shot{}});
            }
            std::fill(data.begin(), data.end(), comm.rank() == 0 ? 7 : 0);
            if (comm.rank() != 0) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }
            comm.broadcast(data, 0, {.algorithm = coll::parse_algorithm(name)});
            auto const all_are =
                std::all_of(data.begin(), data.end(), [](auto x) { return x == 7; });
            std::fill(data.begin(), data.end(), 1);
            expect(all_are, [&] { return std::string("a late broadcast, ") + name; });
        }
    }
    // What goes past the caches, unless that would take all memory.
    auto const last = coll::host::caches().last;
    if (size == 2 && last <= std::size_t{64} << 20 && !with_sanitizers()) {
        large_all_reduces<std::uint64_t>(comm, last / 8 + 5, coll::sum{}, {}, random, sum);
    }
    // Small multiples of what all these sizes divide: exact in 16 bits.
    large_all_reduces<coll::float16>(
        comm, 550'000, coll::average{}, {},
        [](int, int rank, std::size_t i) { return coll::float16(float(12 * (rank + int(i % 3)))); },
        [size](int, std::size_t i) {
            return coll::float16(float(12 * int(i % 3) + 6 * (size - 1)));
        });
    for (std::size_t const n : {std::size_t{10'001}, std::size_t{300'000}}) {
        large_all_reduces<float>(
            comm, n, coll::premultiplied_sum<float>{2}, {.algorithm = coll::two_shot{}},
            [](int call, int rank, std::size_t i) { return float(rank + int(i % 99) + call); },
            [size](int call, std::size_t i) {
                return float(2 * (size * (int(i % 99) + call) + size * (size - 1) / 2));
            });
    }
    auto const map = [&](int call, int rank, std::size_t i) {
        auto const bits = random(call, rank, i);
        return large_map{static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
    };
    large_all_reduces<large_map>(comm, 100'000, compose{}, {}, map, [&](int call, std::size_t i) {
        auto total = map(call, 0, i);
        for (int r = 1; r < size; ++r) { total = compose{}(total, map(call, r, i)); }
        return total;
    });
    struct huge {
        std::array<std::uint64_t, 1100> values{};
        bool operator==(huge const&) const = default;
    };
    auto const add = coll::commutative([](huge const& a, huge const& b) {
        huge result;
        for (std::size_t k = 0; k < a.values.size(); ++k) {
            result.values[k] = a.values[k] + b.values[k];
        }
        return result;
    });
    auto const filled = [](std::uint64_t value) {
        huge result;
        result.values.fill(value);
        return result;
    };
    for (std::size_t const n : {std::size_t{9}, std::size_t{150}}) {
        large_all_reduces<huge>(
            comm, n, add, {.algorithm = coll::two_shot{}},
            [&](int call, int rank, std::size_t i) { return filled(random(call, rank, i)); },
            [&](int call, std::size_t i) { return filled(sum(call, i)); });
    }
}

}  // namespace conformance
