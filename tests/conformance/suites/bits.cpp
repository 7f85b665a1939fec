// SPDX-License-Identifier: BSD-3-Clause
// Bits: the same on every rank with every algorithm, and with `.reproducible` those of the left
// fold in rank order, whatever carries them.
#include <collectives/core/fingerprint.hpp>

#include <conformance/cells.hpp>
#include <conformance/suites.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace conformance {

namespace {

/// A number of either sign between 2^-8 and 2^8, so that sums round; of 8 bits between 2^-8 and
/// 2^4, so that sums are finite.
template <class T>
T rough_number(std::uint64_t seed, int rank, std::size_t i) {
    auto const h = scramble(seed * 1'000'003 + static_cast<std::uint64_t>(rank) * 7'919 + i * 31);
    auto const fraction = 1.0 + static_cast<double>(h >> 12) * 0x1p-52;
    auto const exponent = static_cast<int>((h >> 1) % (sizeof(T) == 1 ? 12 : 16));
    auto const value = std::ldexp(h & 1 ? fraction : -fraction, exponent - 8);
    if constexpr (coll::narrow_float<T>) {
        return T(static_cast<float>(value));
    } else {
        return static_cast<T>(value);
    }
}
template <class T>
std::vector<T> rough_vector(std::uint64_t seed, int rank, std::size_t n) {
    std::vector<T> v(n);
    for (std::size_t i = 0; i < n; ++i) { v[i] = rough_number<T>(seed, rank, i); }
    return v;
}

template <class T>
using wide = std::conditional_t<coll::narrow_float<T>, float, T>;

/// What is added of a rank's value, and what becomes of the sum.
template <class Op, class T>
T operand_of(Op const& op, T x) {
    if constexpr (requires { op.factor; }) {
        return static_cast<T>(static_cast<wide<T>>(op.factor) * static_cast<wide<T>>(x));
    } else {
        return x;
    }
}
template <class Op, class W>
W finished(Op const&, W sum, int size) {
    return std::is_same_v<Op, coll::average> ? sum / static_cast<W>(size) : sum;
}

/// The reduction in rank order; narrow floats are reduced in float and rounded once.
template <class T, class Op = coll::sum>
std::vector<T> left_fold(std::uint64_t seed, int size, std::size_t n, Op const& op = {}) {
    std::vector<T> result(n);
    for (std::size_t i = 0; i < n; ++i) {
        auto const part = [&](int r) {
            return static_cast<wide<T>>(operand_of(op, rough_number<T>(seed, r, i)));
        };
        auto sum = part(0);
        for (int r = 1; r < size; ++r) {
            if constexpr (std::is_same_v<Op, coll::product>) {
                sum *= part(r);
            } else if constexpr (std::is_same_v<Op, coll::min> || std::is_same_v<Op, coll::max>) {
                sum = op(sum, part(r));
            } else {
                sum += part(r);
            }
        }
        result[i] = static_cast<T>(finished(op, sum, size));
    }
    return result;
}

template <class T>
std::uint64_t hash_of(std::span<T const> v) {
    auto const bytes = std::as_bytes(v);
    return coll::hash_text({reinterpret_cast<char const*>(bytes.data()), bytes.size()});
}
template <class T>
bool same_bits(std::span<T const> a, std::span<T const> b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

/// Throws unless all ranks have the same bits.
template <class T>
void require_equal(coll::communicator& comm, std::vector<T> const& v, std::string_view what) {
    std::array const mine{hash_of<T>(v)};
    std::vector<std::uint64_t> all(static_cast<std::size_t>(comm.size()));
    comm.all_gather(mine, all);
    for (auto const h : all) {
        expect(h == all[0], [&] { return std::string(what) + ": bits differ"; });
    }
}

/// Each operator on numbers with zeros of both signs between them.
template <class T, class Op>
void run_equal_bits_of(coll::communicator& comm, Op const& op) {
    for (auto const algorithm : algorithms_and_automatic()) {
        auto v = rough_vector<T>(11, comm.rank(), 1'003);
        for (std::size_t i = 0; i < v.size(); i += 7) {
            v[i] = T((i + static_cast<std::size_t>(comm.rank())) % 2 == 0 ? 0.0F : -0.0F);
        }
        if (!is_taken(comm.size(), coll::hash_text(Op::name) + coll::hash_text(algorithm.name()))) {
            continue;
        }
        comm.all_reduce(v, op, {.algorithm = algorithm});
        require_equal(comm, v, std::string(algorithm.name()) + ", " + std::string(Op::name));
    }
}
template <class T>
void run_equal_bits_of_operators(coll::communicator& comm) {
    run_equal_bits_of<T>(comm, coll::product{});
    run_equal_bits_of<T>(comm, coll::min{});
    run_equal_bits_of<T>(comm, coll::max{});
    run_equal_bits_of<T>(comm, coll::average{});
    run_equal_bits_of<T>(comm, coll::premultiplied_sum{0.1F});
}

template <class T>
void run_equal_bits(coll::communicator& comm, std::size_t n, std::uint64_t seed) {
    auto const exact = left_fold<double>(seed, comm.size(), n);
    for (auto const algorithm : algorithms_and_automatic()) {
        auto v = rough_vector<T>(seed, comm.rank(), n);
        comm.all_reduce(v, coll::sum{}, {.algorithm = algorithm});
        require_equal(comm, v, algorithm.name());
        if constexpr (std::is_same_v<T, float>) {
            for (std::size_t i = 0; i < n; ++i) {
                expect(std::abs(static_cast<double>(v[i]) - exact[i]) <= 256.0 * 8 * 0x1p-23,
                       [&] { return std::string(algorithm.name()) + ": a wrong sum"; });
            }
        }
    }
}

}  // namespace

void equal_bits(world const& w) {
    for (int const size : sizes()) {
        CAPTURE(size);
        w.run(size, [](coll::communicator& comm) {
            run_equal_bits<float>(comm, 3, 1);
            run_equal_bits<float>(comm, 1'003, 2);
            run_equal_bits<float>(comm, 30'011, 3);
            run_equal_bits<coll::bfloat16>(comm, 1'003, 4);
            run_equal_bits<coll::float8_e4m3>(comm, 1'003, 5);
            run_equal_bits<coll::float8_e5m2>(comm, 1'003, 6);
            run_equal_bits_of_operators<coll::float16>(comm);
            run_equal_bits_of_operators<coll::bfloat16>(comm);
        });
    }
}

namespace {

template <class T, class Op = coll::sum>
void run_reproducible(coll::communicator& comm, std::size_t n, std::uint64_t seed,
                      Op const& op = {}) {
    auto const expected = left_fold<T>(seed, comm.size(), n, op);
    auto const in = rough_vector<T>(seed, comm.rank(), n);
    auto const own = coll::block(n, comm.size(), comm.rank());
    std::vector<T> out(n), part(own.size);
    for (coll::any_algorithm const a :
         {coll::any_algorithm{}, coll::any_algorithm{coll::one_shot{}},
          coll::any_algorithm{coll::two_shot{}}}) {
        for (std::size_t const segment : {std::size_t{0}, std::size_t{100}, std::size_t{4'096}}) {
            if (n > 5'000 && segment == 100) { continue; }
            if (!is_taken(comm.size(), seed + segment + coll::hash_text(a.name()))) { continue; }
            coll::options const how{.algorithm = a, .segment = segment, .reproducible = true};
            auto const check = [&](std::span<T const> got, std::span<T const> wanted) {
                expect(same_bits<T>(got, wanted), [&] {
                    return "not the left fold: " + std::string(a.name()) + ", segment " +
                           std::to_string(segment) + ", " + std::to_string(n);
                });
            };
            comm.all_reduce(in, out, op, how);
            check(out, expected);
            out = in;
            comm.start_all_reduce(out, op, how).wait();  // in place
            check(out, expected);
            comm.reduce_scatter(in, part, op, how);
            check(part, std::span(expected).subspan(own.first, own.size));
            comm.reduce(in, out, op, comm.size() - 1, how);
            if (comm.rank() == comm.size() - 1) { check(out, expected); }
        }
    }
}

/// Blocks that are cut anywhere, and a call that was planned, have the same bits.
template <class T, class Op>
void run_reproducible_cuts(coll::communicator& comm, std::size_t n, Op const& op) {
    auto const expected = left_fold<T>(n, comm.size(), n, op);
    auto const in = rough_vector<T>(n, comm.rank(), n);
    std::vector<std::size_t> counts(static_cast<std::size_t>(comm.size()), n / 7);
    counts.back() = n - n / 7 * (counts.size() - 1);
    auto const first = n / 7 * static_cast<std::size_t>(comm.rank());
    std::vector<T> part(counts[static_cast<std::size_t>(comm.rank())]), out(n);
    coll::options const how{.reproducible = true};
    comm.reduce_scatter(in, part, counts, op, how);
    expect(same_bits<T>(part, std::span(expected).subspan(first, part.size())),
           "cut elsewhere, a block has other bits");
    auto planned = comm.plan_all_reduce(in, out, op, how);
    for (int turn = 0; turn < 2; ++turn) {
        planned.start();
        planned.wait();
        expect(same_bits<T>(out, expected), "a planned call has other bits");
    }
}

/// Operators that round before or after the sum, on vectors that go by all ways.
template <class T>
void run_reproducible_factors(coll::communicator& comm) {
    for (std::size_t const n : {1U, 777U, 4'096U, 4'097U, 20'011U}) {
        run_reproducible<T>(comm, n, n + 8, coll::premultiplied_sum{0.1F});
        run_reproducible<T>(comm, n, n + 9, coll::average{});
        run_reproducible_cuts<T>(comm, n, coll::premultiplied_sum{0.1F});
        run_reproducible_cuts<T>(comm, n, coll::average{});
        run_reproducible_cuts<T>(comm, n, coll::min{});
        run_reproducible_cuts<T>(comm, n, coll::max{});
        if (sizeof(T) > 1 && n == 777) {  // of 8 bits some overflow to a NaN
            run_reproducible<T>(comm, n, n + 10, coll::product{});
        }
    }
}

/// The bits do not depend on where in the vector an element stands, nor on how many there are.
void run_moved(coll::communicator& comm) {
    coll::options const how{.reproducible = true};
    auto const whole = rough_vector<float>(9, comm.rank(), 2'000);
    std::vector<float> all(2'000), part(700);
    comm.all_reduce(whole, all, coll::sum{}, how);
    comm.all_reduce(std::span(whole).subspan(901, 700), part, coll::sum{}, how);
    expect(same_bits<float>(part, std::span(all).subspan(901, 700)), "a part has other bits");
}

}  // namespace

void reproducible(world const& w) {
    for (int const size : sizes()) {
        CAPTURE(size);
        w.run(size, [](coll::communicator& comm) {
            for (std::size_t const n : {1U, 9U, 1'000U, 30'000U}) {
                run_reproducible<float>(comm, n, n);
            }
            run_reproducible<double>(comm, 777, 5);
            run_reproducible<coll::float16>(comm, 777, 6);
            run_reproducible<coll::bfloat16>(comm, 20'011, 7);
            run_reproducible<coll::float8_e4m3>(comm, 777, 8);
            run_reproducible<coll::float8_e5m2>(comm, 20'011, 9);
            run_reproducible_factors<coll::float16>(comm);
            run_reproducible_factors<coll::bfloat16>(comm);
            run_reproducible_factors<coll::float8_e4m3>(comm);
            run_reproducible_factors<coll::float8_e5m2>(comm);
            run_moved(comm);
        });
    }
}

}  // namespace conformance
