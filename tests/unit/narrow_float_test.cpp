// SPDX-License-Identifier: BSD-3-Clause
// The formats of 16 and 8 bits against a slow conversion made from their definitions.
#include <collectives/core/narrow_float.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace coll = collectives;
using coll::bfloat16;
using coll::float16;
using coll::float8_e4m3;
using coll::float8_e5m2;

template <class T, std::size_t Size>
constexpr bool is_stored_alone =
    sizeof(T) == Size && std::is_trivially_copyable_v<T> &&
    std::is_trivially_default_constructible_v<T> && !std::is_convertible_v<float, T> &&
    !std::is_convertible_v<T, float> && coll::narrow_float<T>;
static_assert(is_stored_alone<float16, 2> && is_stored_alone<bfloat16, 2>);
static_assert(is_stored_alone<float8_e4m3, 1> && is_stored_alone<float8_e5m2, 1>);
static_assert(float16(1.0F).bits() == 0x3c00 && bfloat16(1.0F).bits() == 0x3f80);
static_assert(float8_e4m3(1.0F).bits() == 0x38 && float8_e5m2(1.0F).bits() == 0x3c);
static_assert(static_cast<float>(float16(-0.333F)) == -0.33300781F);
static_assert(float16(2.0F) > float16(-3.0F) && bfloat16(2.0F) == bfloat16(2.0F));
static_assert(float8_e4m3(2.0F) > float8_e4m3(-3.0F) && float8_e5m2(2.0F) == float8_e5m2(2.0F));

namespace {

struct format {
    int exponent_bits;
    int fraction_bits;
    bool has_infinity = true;

    unsigned sign() const { return 1U << (exponent_bits + fraction_bits); }
    /// What stands above all finite numbers: infinity, or NaN.
    unsigned beyond() const { return has_infinity ? top_exponent() : sign() - 1; }
    unsigned top_exponent() const { return ((1U << exponent_bits) - 1) << fraction_bits; }

    /// What bits mean, from the definition of the format.
    double value(unsigned bits) const {
        int const top = (1 << exponent_bits) - 1;
        int const bias = top / 2;
        int const exponent = static_cast<int>(bits >> fraction_bits) & top;
        int const fraction = static_cast<int>(bits) & ((1 << fraction_bits) - 1);
        double const minus = (bits & sign()) != 0 ? -1 : 1;
        if (!has_infinity && (bits & ~sign()) == beyond()) { return std::nan(""); }
        if (has_infinity && exponent == top) {
            return fraction != 0 ? std::nan("") : minus * std::numeric_limits<double>::infinity();
        }
        int const significand = exponent == 0 ? fraction : fraction | (1 << fraction_bits);
        return minus *
               std::ldexp(significand, (exponent == 0 ? 1 : exponent) - bias - fraction_bits);
    }

    /// The bits nearest to a number that is no NaN: found by bisection, ties to the even one.
    unsigned nearest(float number) const {
        double const size = std::abs(static_cast<double>(number));
        unsigned low = 0;
        unsigned high = beyond();
        while (high - low > 1) {
            unsigned const middle = (low + high) / 2;
            (value(middle) <= size ? low : high) = middle;
        }
        // Rounding treats what is beyond as if the next number stood there: one more step.
        double const above = high == beyond() ? 2 * value(high - 1) - value(high - 2) : value(high);
        double const down = size - value(low);
        double const up = above - size;
        bool const take_high = up < down || (up == down && high % 2 == 0);
        return (take_high ? high : low) | (std::signbit(number) ? sign() : 0U);
    }
};

constexpr format binary16{5, 10};
constexpr format brain16{8, 7};
constexpr format e4m3{4, 3, false};
constexpr format e5m2{5, 2};

template <class T>
constexpr format format_of = std::is_same_v<T, float16>       ? binary16
                             : std::is_same_v<T, bfloat16>    ? brain16
                             : std::is_same_v<T, float8_e4m3> ? e4m3
                                                              : e5m2;

template <class T>
void check_to_float(format const& f) {
    for (unsigned bits = 0; bits < 2 * f.sign(); ++bits) {
        auto const narrow = T::from_bits(static_cast<typename T::bits_type>(bits));
        auto const number = static_cast<float>(narrow);
        REQUIRE(narrow.bits() == bits);
        auto const expected = f.value(bits);
        if (std::isnan(expected)) {
            REQUIRE(std::isnan(number));
            auto const quiet = 1U << (f.fraction_bits - 1);
            REQUIRE(T(number).bits() == (bits | quiet));
            REQUIRE(narrow != narrow);
        } else {
            REQUIRE(static_cast<double>(number) == expected);
            REQUIRE(std::signbit(number) == std::signbit(expected));
            REQUIRE(T(number).bits() == bits);
        }
    }
}

template <class T>
void check_from_float(format const& f) {
    std::vector<float> numbers{65504.0F,   65519.996F, 65520.0F, 65536.0F,   3.4e38F,
                               1e-45F,     6e-8F,      448.0F,   464.0F,     464.00003F,
                               479.99997F, 480.0F,     57344.0F, 61439.996F, 61440.0F};
    std::mt19937 random(1);
    for (int i = 0; i < 300'000; ++i) {
        auto const number = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        if (!std::isnan(number)) { numbers.push_back(number); }
    }
    for (unsigned bits = 0; bits + 1 < f.beyond(); ++bits) {  // ties, and their neighbours
        auto const tie = static_cast<float>((f.value(bits) + f.value(bits + 1)) / 2);
        numbers.insert(numbers.end(), {tie, std::nextafter(tie, 0.0F), std::nextafter(tie, 1e38F)});
        numbers.push_back(static_cast<float>(f.value(bits)));
    }
    for (float const number : numbers) {
        REQUIRE_MESSAGE(T(number).bits() == f.nearest(number), number);
        REQUIRE_MESSAGE(T(-number).bits() == f.nearest(-number), -number);
    }
}

}  // namespace

TEST_CASE_TEMPLATE("narrow floats convert to float exactly", T, float16, bfloat16, float8_e4m3,
                   float8_e5m2) {
    check_to_float<T>(format_of<T>);
}

TEST_CASE_TEMPLATE("floats round to the nearest, ties to even", T, float16, bfloat16, float8_e4m3,
                   float8_e5m2) {
    check_from_float<T>(format_of<T>);
}

TEST_CASE_TEMPLATE("infinity", T, float16, bfloat16, float8_e5m2) {
    auto const infinity = std::numeric_limits<float>::infinity();
    CHECK(static_cast<float>(T(infinity)) == infinity);
    CHECK(static_cast<float>(T(-infinity)) == -infinity);
}

TEST_CASE("float8_e5m2 overflows to infinity, float8_e4m3 to NaN") {
    auto const infinity = std::numeric_limits<float>::infinity();
    CHECK(static_cast<float>(float8_e5m2::from_bits(0x7b)) == 57344.0F);
    CHECK(float8_e5m2(61439.996F).bits() == 0x7b);
    CHECK(float8_e5m2(61440.0F).bits() == 0x7c);  // the tie goes to the even one
    CHECK(float8_e5m2(-1e9F).bits() == 0xfc);
    CHECK(static_cast<float>(float8_e4m3::from_bits(0x7e)) == 448.0F);
    CHECK(float8_e4m3(464.0F).bits() == 0x7e);  // likewise
    for (float const x : {464.00003F, 480.0F, 1e9F, infinity}) {
        CHECK(float8_e4m3(x).bits() == 0x7f);
        CHECK(float8_e4m3(-x).bits() == 0xff);
    }
}

TEST_CASE_TEMPLATE("NaN and comparison", T, float16, bfloat16, float8_e4m3, float8_e5m2) {
    auto const nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(std::isnan(static_cast<float>(T(nan))));
    CHECK(std::isnan(static_cast<float>(T(std::bit_cast<float>(0x7f800001U)))));
    CHECK(std::isnan(static_cast<float>(T(std::bit_cast<float>(0xffffffffU)))));
    CHECK(T(0.0F) == T(-0.0F));
    CHECK(T(1.0F) < T(1.5F));
    CHECK_FALSE(T(nan) == T(nan));
    CHECK_FALSE(T(nan) < T(1.0F));
    CHECK(T{}.bits() == 0);
}
