// SPDX-License-Identifier: BSD-3-Clause
// The two 16-bit floating-point formats: storage types that convert to float, which does the
// arithmetic.
#pragma once

#include <bit>
#include <compare>
#include <concepts>
#include <cstdint>

namespace collectives::inline v0 {

namespace detail {

// Both directions are written without branches on the data, only with choices between values, so
// that compilers turn a loop over them into vector instructions on any instruction set.

/// condition ? a : b, in a form that stays free of branches.
constexpr std::uint32_t choose(bool condition, std::uint32_t a, std::uint32_t b) {
    std::uint32_t const mask = 0U - static_cast<std::uint32_t>(condition);
    return (a & mask) | (b & ~mask);
}

constexpr float float_from_binary16(std::uint16_t half) {
    std::uint32_t const sign = (half & 0x8000U) << 16;
    std::uint32_t const shifted = (half & 0x7fffU) << 13;
    std::uint32_t const exponent = shifted & 0x0f800000U;
    std::uint32_t const normal = shifted + (112U << 23);  // 127 - 15: the other bias
    std::uint32_t const special = normal + (112U << 23);  // infinity and NaN
    // A subnormal has no leading one: read it with one, then take that one off again (exactly).
    float const less_one =
        std::bit_cast<float>(normal + (1U << 23)) - std::bit_cast<float>(std::uint32_t{113U << 23});
    std::uint32_t const finite =
        choose(exponent == 0, std::bit_cast<std::uint32_t>(less_one), normal);
    return std::bit_cast<float>(choose(exponent == 0x0f800000U, special, finite) | sign);
}

constexpr std::uint16_t binary16_from_float(float value) {
    std::uint32_t const bits = std::bit_cast<std::uint32_t>(value);
    std::uint32_t const sign = bits & 0x80000000U;
    std::uint32_t const size = bits ^ sign;
    std::uint32_t const odd = (size >> 13) & 1U;
    std::uint32_t const normal = (size - (112U << 23) + 0xfffU + odd) >> 13;  // ties go to even
    // Below 2^-14: adding 1/2 leaves the bits of the subnormal, rounded, at the end of the sum.
    // What is no subnormal adds zero instead, so that no trap or NaN comes out of a value unused.
    bool const tiny = size < (113U << 23);
    float const sum = std::bit_cast<float>(choose(tiny, size, 0U)) + 0.5F;
    std::uint32_t const subnormal = std::bit_cast<std::uint32_t>(sum) - (126U << 23);
    std::uint32_t const quiet_nan = 0x7e00U | (size >> 13 & 0x3ffU);  // with its payload
    std::uint32_t const special = choose(size > (255U << 23), quiet_nan, 0x7c00U);
    std::uint32_t const finite = choose(tiny, subnormal, normal);
    return static_cast<std::uint16_t>(choose(size >= (143U << 23), special, finite) | (sign >> 16));
}

constexpr float float_from_bfloat16(std::uint16_t half) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16);
}

/// The bits of a float, rounded to those of a bfloat16 in the upper half; the lower half is noise.
constexpr std::uint32_t rounded_to_bfloat16(float value) {
    std::uint32_t const bits = std::bit_cast<std::uint32_t>(value);
    std::uint32_t const rounded = bits + 0x7fffU + ((bits >> 16) & 1U);
    bool const is_nan = static_cast<std::int32_t>(bits & 0x7fffffffU) > (255 << 23);
    return choose(is_nan, bits | 0x00400000U, rounded);
}

constexpr std::uint16_t bfloat16_from_float(float value) {
    return static_cast<std::uint16_t>(rounded_to_bfloat16(value) >> 16);
}

}  // namespace detail

/// IEEE 754 binary16: 1 sign, 5 exponent and 10 fraction bits. Converts explicitly from float
/// (round to nearest even; overflow gives infinity) and to float (exactly). Compares like float.
class float16 {
public:
    float16() = default;
    explicit constexpr float16(float value) : bits_(detail::binary16_from_float(value)) {}
    explicit constexpr operator float() const { return detail::float_from_binary16(bits_); }

    static constexpr float16 from_bits(std::uint16_t bits) {
        float16 result{};
        result.bits_ = bits;
        return result;
    }
    constexpr std::uint16_t bits() const { return bits_; }

    friend constexpr bool operator==(float16 a, float16 b) {
        return static_cast<float>(a) == static_cast<float>(b);
    }
    friend constexpr std::partial_ordering operator<=>(float16 a, float16 b) {
        return static_cast<float>(a) <=> static_cast<float>(b);
    }

private:
    std::uint16_t bits_;
};

/// The upper half of a binary32: 1 sign, 8 exponent and 7 fraction bits. Converts explicitly from
/// float (round to nearest even) and to float (exactly). Compares like float.
class bfloat16 {
public:
    bfloat16() = default;
    explicit constexpr bfloat16(float value) : bits_(detail::bfloat16_from_float(value)) {}
    explicit constexpr operator float() const { return detail::float_from_bfloat16(bits_); }

    static constexpr bfloat16 from_bits(std::uint16_t bits) {
        bfloat16 result{};
        result.bits_ = bits;
        return result;
    }
    constexpr std::uint16_t bits() const { return bits_; }

    friend constexpr bool operator==(bfloat16 a, bfloat16 b) {
        return static_cast<float>(a) == static_cast<float>(b);
    }
    friend constexpr std::partial_ordering operator<=>(bfloat16 a, bfloat16 b) {
        return static_cast<float>(a) <=> static_cast<float>(b);
    }

private:
    std::uint16_t bits_;
};

/// The types that are stored in 16 bits and added up in float.
template <class T>
concept sixteen_bit_float = std::same_as<T, float16> || std::same_as<T, bfloat16>;

}  // namespace collectives
