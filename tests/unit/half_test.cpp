// SPDX-License-Identifier: BSD-3-Clause
// The 16-bit formats against a slow conversion made from their definitions.
#include <collectives/core/half.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace coll = collectives;
using coll::bfloat16;
using coll::float16;

static_assert(sizeof(float16) == 2 && std::is_trivially_copyable_v<float16>);
static_assert(sizeof(bfloat16) == 2 && std::is_trivially_copyable_v<bfloat16>);
static_assert(!std::is_convertible_v<float, float16> && !std::is_convertible_v<float16, float>);
static_assert(!std::is_convertible_v<float, bfloat16> && !std::is_convertible_v<bfloat16, float>);
static_assert(float16(1.0F).bits() == 0x3c00 && bfloat16(1.0F).bits() == 0x3f80);
static_assert(static_cast<float>(float16(-0.333F)) == -0.33300781F);
static_assert(float16(2.0F) > float16(-3.0F) && bfloat16(2.0F) == bfloat16(2.0F));

namespace {

struct format {
    int exponent_bits;
    int fraction_bits;

    /// What 16 bits mean, from the definition of the format.
    double value(unsigned bits) const {
        int const top = (1 << exponent_bits) - 1;
        int const bias = top / 2;
        int const exponent = static_cast<int>(bits >> fraction_bits) & top;
        int const fraction = static_cast<int>(bits) & ((1 << fraction_bits) - 1);
        double const sign = (bits & 0x8000U) != 0 ? -1 : 1;
        if (exponent == top) {
            return fraction != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
        }
        int const significand = exponent == 0 ? fraction : fraction | (1 << fraction_bits);
        return sign *
               std::ldexp(significand, (exponent == 0 ? 1 : exponent) - bias - fraction_bits);
    }

    unsigned infinity() const { return ((1U << exponent_bits) - 1) << fraction_bits; }

    /// The bits nearest to a number that is no NaN: found by bisection, ties to the even one.
    unsigned nearest(float number) const {
        double const size = std::abs(static_cast<double>(number));
        unsigned low = 0;
        unsigned high = infinity();
        while (high - low > 1) {
            unsigned const middle = (low + high) / 2;
            (value(middle) <= size ? low : high) = middle;
        }
        // Rounding treats infinity as the next number would stand there: one more step.
        double const above =
            high == infinity() ? 2 * value(high - 1) - value(high - 2) : value(high);
        double const down = size - value(low);
        double const up = above - size;
        bool const take_high = up < down || (up == down && high % 2 == 0);
        return (take_high ? high : low) | (std::signbit(number) ? 0x8000U : 0U);
    }
};

constexpr format binary16{5, 10};
constexpr format brain16{8, 7};

template <class T>
void check_to_float(format const& f) {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        auto const half = T::from_bits(static_cast<std::uint16_t>(bits));
        auto const number = static_cast<float>(half);
        auto const expected = f.value(bits);
        if (std::isnan(expected)) {
            REQUIRE(std::isnan(number));
            auto const quiet = 1U << (f.fraction_bits - 1);
            REQUIRE(T(number).bits() == (bits | quiet));
            REQUIRE(half != half);
        } else {
            REQUIRE(static_cast<double>(number) == expected);
            REQUIRE(std::signbit(number) == std::signbit(expected));
            REQUIRE(T(number).bits() == bits);
        }
    }
}

template <class T>
void check_from_float(format const& f) {
    std::vector<float> numbers{65504.0F, 65519.996F, 65520.0F, 65536.0F, 3.4e38F, 1e-45F, 6e-8F};
    std::mt19937 random(1);
    for (int i = 0; i < 300'000; ++i) {
        auto const number = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        if (!std::isnan(number)) { numbers.push_back(number); }
    }
    for (unsigned bits = 0; bits + 1 < f.infinity(); ++bits) {  // ties, and their neighbours
        auto const tie = static_cast<float>((f.value(bits) + f.value(bits + 1)) / 2);
        numbers.insert(numbers.end(), {tie, std::nextafter(tie, 0.0F), std::nextafter(tie, 1e38F)});
    }
    for (float const number : numbers) {
        REQUIRE_MESSAGE(T(number).bits() == f.nearest(number), number);
        REQUIRE_MESSAGE(T(-number).bits() == f.nearest(-number), -number);
    }
}

}  // namespace

TEST_CASE_TEMPLATE("16-bit floats convert to float exactly", T, float16, bfloat16) {
    check_to_float<T>(std::is_same_v<T, float16> ? binary16 : brain16);
}

TEST_CASE_TEMPLATE("floats round to the nearest, ties to even", T, float16, bfloat16) {
    check_from_float<T>(std::is_same_v<T, float16> ? binary16 : brain16);
}

TEST_CASE_TEMPLATE("infinity, NaN and comparison", T, float16, bfloat16) {
    auto const infinity = std::numeric_limits<float>::infinity();
    auto const nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(static_cast<float>(T(infinity)) == infinity);
    CHECK(static_cast<float>(T(-infinity)) == -infinity);
    CHECK(std::isnan(static_cast<float>(T(nan))));
    CHECK(std::isnan(static_cast<float>(T(std::bit_cast<float>(0x7f800001U)))));
    CHECK(std::isnan(static_cast<float>(T(std::bit_cast<float>(0xffffffffU)))));
    CHECK(T(0.0F) == T(-0.0F));
    CHECK(T(1.0F) < T(1.5F));
    CHECK_FALSE(T(nan) == T(nan));
    CHECK_FALSE(T(nan) < T(1.0F));
    CHECK(T{}.bits() == 0);
}
