// SPDX-License-Identifier: BSD-3-Clause
// Types and operators against sums done in wide arithmetic.
#include <conformance/cells.hpp>
#include <conformance/suites.hpp>

#include <doctest/doctest.h>
#include <conformance/operators.hpp>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace conformance {

namespace {

/// All contributions to n elements: [rank][element].
template <class T, class Make>
std::vector<std::vector<T>> contributions(int size, std::size_t n, Make const& make) {
    std::vector<std::vector<T>> all;
    for (int r = 0; r < size; ++r) {
        auto& v = all.emplace_back();
        for (std::size_t i = 0; i < n; ++i) {
            v.push_back(make(scramble(static_cast<std::uint64_t>(r) << 32 | i)));
        }
    }
    return all;
}

/// Runs `op` with each algorithm that may be used. `model(column)` is the result of one element,
/// `make(random)` a contribution.
template <class T, class Op, class Make, class Model>
void run_operator(coll::communicator& comm, char const* title, Op const& op, Make const& make,
                  Model const& model) {
    auto const size = comm.size();
    std::size_t const n = 37;
    auto const all = contributions<T>(size, n, make);
    std::vector<T> expected;
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<T> column;
        for (auto const& v : all) { column.push_back(v[i]); }
        expected.push_back(model(column));
    }
    auto const& mine = all[static_cast<std::size_t>(comm.rank())];
    auto const check = [&](std::span<T const> got, std::size_t first, coll::any_algorithm a,
                           char const* what) {
        for (std::size_t i = 0; i < got.size(); ++i) {
            expect(got[i] == expected[first + i], [&] {
                return std::string(title) + ", " + what + " " + std::string(a.name()) + ", " +
                       std::to_string(size) + " ranks: element " + std::to_string(first + i);
            });
        }
    };
    for (auto const a : algorithms_and_automatic()) {
        coll::options const how{.algorithm = a};
        if (!coll::commutative_op<Op, T> && !a.is_automatic() && !a.check(size).order_preserving) {
            continue;
        }
        std::vector<T> out(n);
        comm.all_reduce(mine, out, op, how);
        check(out, 0, a, "all_reduce");
        comm.all_reduce(std::span(mine).first(1), std::span(out).first(1), op, how);
        check(std::span(out).first(1), 0, a, "all_reduce of one");
        auto const own = coll::block(n, size, comm.rank());
        comm.reduce_scatter(mine, std::span(out).subspan(own.first, own.size), op, how);
        check(std::span(out).subspan(own.first, own.size), own.first, a, "reduce_scatter");
        out = mine;
        comm.reduce(out, out, op, size - 1, how);
        if (comm.rank() == size - 1) { check(out, 0, a, "reduce"); }
    }
}

template <class T>
void run_integers(coll::communicator& comm) {
    auto const any = [](std::uint64_t x) {  // 8-bit sums wrap
        return static_cast<T>(sizeof(T) == 1 ? x : x % 16 - (std::is_signed_v<T> ? 7 : 0));
    };
    auto const small = [](std::uint64_t x) { return static_cast<T>(x % 3 + 1); };
    auto const truth = [](std::uint64_t x) { return static_cast<T>(x % 7 != 0 ? x % 5 + 1 : 0); };
    auto const sparse = [](std::uint64_t x) { return static_cast<T>(x % 4 == 0 ? x % 3 : 0); };
    run_operator<T>(comm, "sum", coll::sum{}, any, models::sum<T>);
    run_operator<T>(comm, "product", coll::product{}, small, models::product<T>);
    run_operator<T>(comm, "min", coll::min{}, any, models::min<T>);
    run_operator<T>(comm, "max", coll::max{}, any, models::max<T>);
    run_operator<T>(comm, "average", coll::average{}, any, models::average<T>);
    run_operator<T>(comm, "bit_and", coll::bit_and{}, any, models::bit_and<T>);
    run_operator<T>(comm, "bit_or", coll::bit_or{}, sparse, models::bit_or<T>);
    run_operator<T>(comm, "bit_xor", coll::bit_xor{}, any, models::bit_xor<T>);
    run_operator<T>(comm, "logical_and", coll::logical_and{}, truth, models::logical_and<T>);
    run_operator<T>(comm, "logical_or", coll::logical_or{}, sparse, models::logical_or<T>);
    run_operator<T>(comm, "premultiplied_sum", coll::premultiplied_sum{3}, any, models::thrice<T>);
}

}  // namespace

void integers(world const& w) {
    for (int const size : sizes({1, 2, 3, 5, 8})) {
        CAPTURE(size);
        w.run(size, [](coll::communicator& comm) {
            run_integers<std::int8_t>(comm);
            run_integers<std::uint8_t>(comm);
            run_integers<std::int16_t>(comm);
            run_integers<std::uint16_t>(comm);
            run_integers<std::int32_t>(comm);
            run_integers<std::uint32_t>(comm);
            run_integers<std::int64_t>(comm);
            run_integers<std::uint64_t>(comm);
        });
    }
}

namespace {

/// Contributions are small whole numbers, so that sums in any order are exact; of 8 bits -1, 0 and
/// 1, because float8_e5m2 holds all whole numbers to 8 only.
template <class T>
void run_floats(coll::communicator& comm) {
    auto const any = [](std::uint64_t x) {
        return models::number<T>(sizeof(T) == 1 ? static_cast<int>(x % 3) - 1
                                                : static_cast<int>(x % 16) - 7);
    };
    auto const small = [](std::uint64_t x) { return models::number<T>(x % 3 == 0 ? -2 : 1); };
    auto const truth = [](std::uint64_t x) { return models::number<T>(x % 7 != 0); };
    auto const sparse = [](std::uint64_t x) { return models::number<T>(x % 5 == 0 ? -3 : 0); };
    run_operator<T>(comm, "sum", coll::sum{}, any, models::sum<T>);
    run_operator<T>(comm, "product", coll::product{}, small, models::product<T>);
    run_operator<T>(comm, "min", coll::min{}, any, models::min<T>);
    run_operator<T>(comm, "max", coll::max{}, any, models::max<T>);
    run_operator<T>(comm, "average", coll::average{}, any, models::average<T>);
    run_operator<T>(comm, "logical_and", coll::logical_and{}, truth, models::logical_and<T>);
    run_operator<T>(comm, "logical_or", coll::logical_or{}, sparse, models::logical_or<T>);
    run_operator<T>(comm, "premultiplied_sum", coll::premultiplied_sum{0.5F}, any, models::half<T>);
}

template <class T>
void run_complex(coll::communicator& comm) {
    using part = typename T::value_type;
    auto const any = [](std::uint64_t x) {
        return T(static_cast<part>(x % 9) - 4, static_cast<part>(x / 9 % 9) - 4);
    };
    auto const unit = [](std::uint64_t x) {
        return T(static_cast<part>(x % 3) - 1, static_cast<part>(x / 3 % 3) - 1);
    };
    run_operator<T>(comm, "sum", coll::sum{}, any, models::complex_sum<T>);
    run_operator<T>(comm, "product", coll::product{}, unit, models::complex_product<T>);
    run_operator<T>(comm, "average", coll::average{}, any, [](std::vector<T> const& v) {
        return models::complex_sum<T>(v) / static_cast<part>(v.size());
    });
    run_operator<T>(comm, "premultiplied_sum", coll::premultiplied_sum{T(0, 1)}, any,
                    [](std::vector<T> const& v) {
                        auto const s = models::complex_sum<T>(v);
                        return T(-s.imag(), s.real());
                    });
}

}  // namespace

void floating_point(world const& w) {
    for (int const size : sizes({1, 2, 3, 5, 8})) {
        CAPTURE(size);
        w.run(size, [](coll::communicator& comm) {
            run_floats<float>(comm);
            run_floats<double>(comm);
            run_floats<coll::float16>(comm);
            run_floats<coll::bfloat16>(comm);
            run_floats<coll::float8_e4m3>(comm);
            run_floats<coll::float8_e5m2>(comm);
            run_complex<std::complex<float>>(comm);
            run_complex<std::complex<double>>(comm);
        });
    }
}

void own_types(world const& w) {
    for (int const size : sizes()) {
        CAPTURE(size);
        w.run(size, [](coll::communicator& comm) {
            auto const fold = [](auto const& op) {
                return [op](auto const& column) {
                    auto result = column[0];
                    for (std::size_t r = 1; r < column.size(); ++r) {
                        result = op(result, column[r]);
                    }
                    return result;
                };
            };
            auto const any_matrix = [](std::uint64_t x) { return matrix::random(x); };
            run_operator<matrix>(comm, "matrices", matrix_product{}, any_matrix,
                                 fold(matrix_product{}));
            run_operator<matrix>(comm, "matrices by *", coll::product{}, any_matrix,
                                 fold(matrix_product{}));
            auto const longest = coll::commutative(take_longer{2});
            run_operator<span_of_time>(comm, "a struct", longest, span_of_time::random,
                                       fold(take_longer{2}));
            run_operator<std::int32_t>(
                comm, "the first", take_first{},
                [](std::uint64_t x) { return static_cast<std::int32_t>(x); },
                [](auto const& column) { return column.front(); });
        });
    }
}

void not_a_number(world const& w) {
    for (int const size : sizes({1, 2, 5, 8})) {
        CAPTURE(size);
        w.run(size, [size](coll::communicator& comm) {
            for (auto const a : algorithms_and_automatic()) {
                for (int who = 0; who < size; ++who) {
                    std::vector<float> v(20, static_cast<float>(comm.rank()));
                    std::vector<coll::bfloat16> h(20, coll::bfloat16(1.0F));
                    std::vector<coll::float8_e4m3> least(20, coll::float8_e4m3(-448.0F));
                    if (comm.rank() == who) {
                        v[7] = std::numeric_limits<float>::quiet_NaN();
                        h[9] = coll::bfloat16(v[7]);
                        least[9] = coll::float8_e4m3(v[7]);
                    }
                    auto highest = v;
                    comm.all_reduce(v, coll::min{}, {.algorithm = a});
                    comm.all_reduce(highest, coll::max{}, {.algorithm = a});
                    comm.all_reduce(h, coll::max{}, {.algorithm = a});
                    comm.all_reduce(least, coll::min{}, {.algorithm = a});
                    expect(std::isnan(v[7]) && std::isnan(highest[7]) &&
                               std::isnan(static_cast<float>(h[9])) &&
                               std::isnan(static_cast<float>(least[9])),
                           [&] { return "NaN of rank " + std::to_string(who); });
                    expect(v[8] == 0 && highest[8] == static_cast<float>(size - 1) &&
                               static_cast<float>(least[8]) == -448,
                           "no NaN beside it");
                }
            }
        });
    }
}

void rounding(world const& w) {
    w.run(3, [](coll::communicator& comm) {
        for (auto const a : algorithms_and_automatic()) {
            coll::options const how{.algorithm = a};
            std::vector<int> v{-4 - comm.rank(), comm.rank() == 0 ? -1 : 0, 4 + comm.rank(), 0};
            comm.all_reduce(v, coll::average{}, how);
            expect(v == std::vector{-5, 0, 5, 0}, "toward zero");  // -15, -1, 15, 0 over 3
            std::vector<coll::float16> h(5, coll::float16(2.0F / 3.0F));
            comm.all_reduce(h, coll::average{}, how);
            expect(std::abs(static_cast<float>(h[4]) - 2.0F / 3.0F) < 0.001F, "halves");
            std::vector<std::uint8_t> u(6, 100);  // 300 wraps to 44
            comm.all_reduce(u, coll::average{}, how);
            expect(u[5] == 14, "the wrapped sum is divided");
            std::vector<float> f(9, 1.0F);
            auto const tenth = coll::premultiplied_sum{0.1F};
            comm.start_all_reduce(f, tenth, how).wait();
            expect(std::abs(f[8] - 0.3F) < 1e-6F, "each contribution is scaled once");
            std::vector<float> const in(9, 2.0F);
            comm.reduce(in, f, tenth, 1, how);
            expect(in[0] == 2.0F && (comm.rank() != 1 || std::abs(f[0] - 0.6F) < 1e-6F),
                   "the input of a scaled sum is left alone");
        }
        // One rounding: 2048 + 1 + 1 in float16, added in float, is 2050.
        std::vector<coll::float16> h(3, coll::float16(comm.rank() == 0 ? 2048.0F : 1.0F));
        comm.all_reduce(h, coll::sum{}, {.reproducible = true});
        expect(static_cast<float>(h[0]) == 2050.0F, "halves are rounded once");
        // Likewise 16 + 1 + 1 in float8_e4m3, and 8 + 1 + 1 in float8_e5m2.
        std::vector<coll::float8_e4m3> e4m3(3, coll::float8_e4m3(comm.rank() == 0 ? 16.0F : 1.0F));
        comm.all_reduce(e4m3, coll::sum{}, {.reproducible = true});
        expect(static_cast<float>(e4m3[0]) == 18.0F, "float8_e4m3 is rounded once");
        std::vector<coll::float8_e5m2> e5m2(3, coll::float8_e5m2(comm.rank() == 0 ? 8.0F : 1.0F));
        comm.all_reduce(e5m2, coll::sum{}, {.reproducible = true});
        expect(static_cast<float>(e5m2[0]) == 10.0F, "float8_e5m2 is rounded once");
    });
}

}  // namespace conformance
