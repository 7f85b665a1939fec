// SPDX-License-Identifier: BSD-3-Clause
// What the operators compute, what they are called, and which types they refuse.
#include <collectives/core/op.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace coll = collectives;
using coll::bfloat16;
using coll::commutative_op;
using coll::float16;
using coll::float8_e4m3;
using coll::float8_e5m2;
using coll::reduction_op;

namespace {

struct matrix {
    int a, b, c, d;
    friend matrix operator+(matrix const& x, matrix const& y) {
        return {x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d};
    }
    friend matrix operator*(matrix const& x, matrix const& y) {
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
                x.c * y.b + x.d * y.d};
    }
};
struct word {
    std::string text;  // not trivially copyable
    friend word operator+(word const& x, word const& y) { return {x.text + y.text}; }
};
constexpr auto difference = [](int a, int b) { return a - b; };
using difference_op = decltype(difference);

template <class... T>
struct types {};
using integers = types<bool, char, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, int,
                       unsigned, long, unsigned long, long long, unsigned long long>;
using numbers = types<char, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, int, unsigned,
                      long, unsigned long, long long, unsigned long long>;
using reals = types<float, double, long double, float16, bfloat16, float8_e4m3, float8_e5m2>;

template <class Op, class... T>
constexpr bool takes_all(types<T...>) {
    return (reduction_op<Op, T> && ...);
}
template <class Op, class... T>
constexpr bool takes_none(types<T...>) {
    return (!reduction_op<Op, T> && ...);
}

static_assert(takes_all<coll::sum>(integers{}) && takes_all<coll::sum>(reals{}));
static_assert(takes_all<coll::product>(integers{}) && takes_all<coll::product>(reals{}));
static_assert(takes_all<coll::min>(integers{}) && takes_all<coll::min>(reals{}));
static_assert(takes_all<coll::max>(integers{}) && takes_all<coll::max>(reals{}));
static_assert(takes_all<coll::average>(numbers{}) && takes_all<coll::average>(reals{}));
static_assert(!reduction_op<coll::average, bool>, "the sum of bools is a logical or");
static_assert(!reduction_op<decltype(coll::commutative(coll::average{})), bool>);
static_assert(takes_all<coll::logical_and>(integers{}) && takes_all<coll::logical_or>(reals{}));
static_assert(takes_all<coll::bit_and>(integers{}) && takes_none<coll::bit_and>(reals{}));
static_assert(takes_all<coll::bit_or>(integers{}) && takes_none<coll::bit_or>(reals{}));
static_assert(takes_all<coll::bit_xor>(integers{}) && takes_none<coll::bit_xor>(reals{}));
static_assert(reduction_op<coll::sum, std::complex<float>>);
static_assert(reduction_op<coll::product, std::complex<double>>);
static_assert(reduction_op<coll::average, std::complex<double>>);
static_assert(!reduction_op<coll::min, std::complex<float>>);
static_assert(!reduction_op<coll::logical_or, std::complex<float>>);
static_assert(reduction_op<coll::sum, matrix> && reduction_op<coll::product, matrix>);
static_assert(!reduction_op<coll::min, matrix> && !reduction_op<coll::average, matrix>);
static_assert(!reduction_op<coll::sum, word>);
static_assert(reduction_op<difference_op, int> && reduction_op<std::plus<>, double>);
static_assert(reduction_op<int (*)(int, int), int> && !reduction_op<int, int>);

static_assert(commutative_op<coll::sum> && commutative_op<coll::premultiplied_sum<int>>);
static_assert(!commutative_op<coll::product, matrix>, "a user's product need not commute");
static_assert(!commutative_op<difference_op> && !commutative_op<std::plus<>>);
static_assert(commutative_op<decltype(coll::commutative(difference))>);
static_assert(commutative_op<decltype(coll::commutative(coll::product{})), matrix>);

static_assert(reduction_op<coll::premultiplied_sum<double>, float>);
static_assert(reduction_op<coll::premultiplied_sum<float>, float16>);
static_assert(reduction_op<coll::premultiplied_sum<float16>, double>);
static_assert(reduction_op<coll::premultiplied_sum<double>, float8_e4m3>);
static_assert(reduction_op<coll::premultiplied_sum<float8_e5m2>, float>);
static_assert(!reduction_op<coll::premultiplied_sum<float8_e5m2>, std::complex<float>>);
static_assert(reduction_op<coll::premultiplied_sum<int>, std::int64_t>);
static_assert(!reduction_op<coll::premultiplied_sum<double>, int>, "a factor of 0.5 is no int");
static_assert(!reduction_op<coll::premultiplied_sum<std::complex<float>>, float>);

}  // namespace

TEST_CASE("integers wrap, whatever their width") {
    auto const wraps = []<class T>(T) {
        auto const most = std::numeric_limits<T>::max();
        auto const least = std::numeric_limits<T>::min();
        CHECK(coll::sum{}(most, T{1}) == least);
        CHECK(coll::product{}(most, T{2}) == static_cast<T>(-2));
        CHECK(coll::product{}(most, most) == T{1});
    };
    wraps(std::int8_t{});
    wraps(std::int16_t{});
    wraps(std::int32_t{});
    wraps(std::int64_t{});
    CHECK(coll::sum{}(std::uint16_t{65535}, std::uint16_t{3}) == 2);
    CHECK(coll::product{}(std::uint16_t{65535}, std::uint16_t{65535}) == 1);
    CHECK(coll::sum{}(true, true) == true);
    CHECK(coll::product{}(true, false) == false);
}

TEST_CASE("the average of integers rounds toward zero") {
    CHECK(coll::average{}.finish(7, 2) == 3);
    CHECK(coll::average{}.finish(-7, 2) == -3);
    CHECK(coll::average{}.finish(std::int8_t{-100}, 200) == 0);
    CHECK(coll::average{}.finish(std::uint8_t{250}, 3) == 83);
    CHECK(coll::average{}.finish(std::numeric_limits<int>::min(), 1) ==
          std::numeric_limits<int>::min());
    CHECK(coll::average{}.finish(~0ULL, 2) == ~0ULL / 2);
    CHECK(coll::average{}.finish(1.0F, 3) == 1.0F / 3.0F);
    CHECK(coll::average{}.finish(std::complex<double>(1, -2), 4) ==
          std::complex<double>(0.25, -0.5));
}

TEST_CASE_TEMPLATE("min and max: NaN wins, zeros are ordered, no order of arguments matters", T,
                   float, double, long double, float16, bfloat16, float8_e4m3, float8_e5m2) {
    auto const make = [](float x) { return static_cast<T>(x); };
    auto const inf = std::numeric_limits<float>::infinity();
    std::vector<float> values{
        0.0F, -0.0F, 1.0F, -1.0F, inf, -inf, std::numeric_limits<float>::quiet_NaN()};
    for (auto& x : values) { x = static_cast<float>(make(x)); }  // float8_e4m3 has no infinity
    auto const same = [](T a, T b) {
        auto const x = static_cast<float>(a);
        auto const y = static_cast<float>(b);
        return (std::isnan(x) && std::isnan(y)) ||
               std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
    };
    for (float const a : values) {
        for (float const b : values) {
            auto const low = coll::min{}(make(a), make(b));
            auto const high = coll::max{}(make(a), make(b));
            CHECK(same(low, coll::min{}(make(b), make(a))));
            CHECK(same(high, coll::max{}(make(b), make(a))));
            if (std::isnan(a) || std::isnan(b)) {
                CHECK(std::isnan(static_cast<float>(low)));
                CHECK(std::isnan(static_cast<float>(high)));
            } else {
                CHECK(static_cast<float>(low) == std::fmin(a, b));
                CHECK(static_cast<float>(high) == std::fmax(a, b));
            }
            for (float const c : values) {
                CHECK(same(coll::min{}(low, make(c)),
                           coll::min{}(make(a), coll::min{}(make(b), make(c)))));
                CHECK(same(coll::max{}(high, make(c)),
                           coll::max{}(make(a), coll::max{}(make(b), make(c)))));
            }
        }
    }
    CHECK(std::signbit(static_cast<float>(coll::min{}(make(0.0F), make(-0.0F)))));
    CHECK(!std::signbit(static_cast<float>(coll::max{}(make(-0.0F), make(0.0F)))));
}

TEST_CASE("bits and truth") {
    CHECK(coll::bit_and{}(0b1100, 0b1010) == 0b1000);
    CHECK(coll::bit_or{}(0b1100, 0b1010) == 0b1110);
    CHECK(coll::bit_xor{}(std::uint8_t{0b1100}, std::uint8_t{0b1010}) == 0b0110);
    CHECK(coll::logical_and{}(7, 9) == 1);
    CHECK(coll::logical_and{}(7, 0) == 0);
    CHECK(coll::logical_or{}(0.0, -0.0) == 0.0);
    CHECK(coll::logical_or{}(0.0, 3.5) == 1.0);
    CHECK(coll::logical_or{}(float16(0.0F), float16(6e-8F)) == float16(1.0F));
    CHECK(coll::logical_and{}(float8_e4m3(0.002F), float8_e4m3(-5.0F)) == float8_e4m3(1.0F));
}

TEST_CASE_TEMPLATE("a narrow float is true if its float is not zero", T, float16, bfloat16,
                   float8_e4m3, float8_e5m2) {
    using bits = typename T::bits_type;
    int wrong = 0;
    for (unsigned pattern = 0; pattern <= std::numeric_limits<bits>::max(); ++pattern) {
        auto const x = T::from_bits(static_cast<bits>(pattern));
        auto const one_or_zero = T(static_cast<float>(x) != 0.0F ? 1.0F : 0.0F);
        if (coll::logical_or{}(x, T(0.0F)).bits() != one_or_zero.bits()) { ++wrong; }
        if (coll::logical_and{}(T(-2.0F), x).bits() != one_or_zero.bits()) { ++wrong; }
    }
    CHECK(wrong == 0);
}

TEST_CASE("a complex product is the textbook's, each part product rounded") {
    auto const z = coll::product{}(std::complex<double>(1, 2), std::complex<double>(3, -4));
    CHECK(z == std::complex<double>(11, 2));
    static_assert(coll::product{}(std::complex<float>(0, 1), std::complex<float>(0, 1)) ==
                  std::complex<float>(-1, 0));
}

TEST_CASE("a factor is applied in the wider type and rounded once") {
    coll::premultiplied_sum const third{1.0 / 3.0};
    CHECK(third.prepare(3.3F) == static_cast<float>(1.0 / 3.0 * static_cast<double>(3.3F)));
    CHECK(third(1.0F, 2.0F) == 3.0F);
    CHECK(coll::premultiplied_sum{3}.prepare(std::int64_t{1} << 40) == 3LL << 40);
    CHECK(coll::premultiplied_sum{0.5F}.prepare(float16(3.0F)) == float16(1.5F));
    CHECK(coll::premultiplied_sum{0.1F}.prepare(float8_e5m2(3.0F)) == float8_e5m2(0.3125F));
    CHECK(coll::premultiplied_sum{2}.prepare(std::complex<float>(1, 2)) ==
          std::complex<float>(2, 4));
    CHECK(coll::premultiplied_sum{std::complex<float>(0, 1)}.prepare(std::complex<float>(1, 2)) ==
          std::complex<float>(-2, 1));
}

TEST_CASE("operators and types have names, and different ones different identities") {
    CHECK(coll::op_name(coll::sum{}) == "sum");
    CHECK(coll::op_name(coll::premultiplied_sum{2}) == "premultiplied_sum");
    CHECK(coll::type_name<int>() == "int");
    CHECK(coll::type_name<float16>() == "collectives::float16");
    CHECK(coll::type_name<float8_e4m3>() == "collectives::float8_e4m3");
    CHECK(coll::type_name<float8_e5m2>() == "collectives::float8_e5m2");
    CHECK(coll::type_name<std::complex<float>>() == "std::complex<float>");
    CHECK(coll::type_name<std::pair<float16, int>>().find("v0") == std::string_view::npos);
    CHECK(coll::op_name(difference).find("lambda") != std::string_view::npos);

    auto const other = [](int a, int b) { return a + b; };
    auto const alike = [](int a, int b) { return a * b; };
    std::set<std::uint64_t> const ops{
        coll::op_fingerprint(coll::sum{}),
        coll::op_fingerprint(coll::average{}),
        coll::op_fingerprint(coll::min{}),
        coll::op_fingerprint(coll::max{}),
        coll::op_fingerprint(coll::premultiplied_sum{0.5}),
        coll::op_fingerprint(coll::premultiplied_sum{0.25}),
        coll::op_fingerprint(coll::premultiplied_sum{0.25F}),
        coll::op_fingerprint(other),
        coll::op_fingerprint(alike),
        coll::op_fingerprint(coll::commutative(other)),
        coll::op_fingerprint(coll::commutative(alike)),
        coll::op_fingerprint(coll::commutative(coll::premultiplied_sum{0.5})),
        coll::op_fingerprint(coll::commutative(coll::premultiplied_sum{0.75}))};
    CHECK(ops.size() == 13);
    CHECK(coll::op_fingerprint(coll::premultiplied_sum{0.5}) ==
          coll::op_fingerprint(coll::premultiplied_sum{0.5}));
    static_assert(coll::type_id<int>() != coll::type_id<unsigned>());
    static_assert(coll::op_id<coll::sum>() != coll::op_id<coll::product>());
}
