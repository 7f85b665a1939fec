// SPDX-License-Identifier: BSD-3-Clause
// The floating-point formats of 16 and 8 bits: storage types that convert to float, which does the
// arithmetic.
#pragma once

#include <bit>
#include <compare>
#include <concepts>
#include <cstdint>

namespace collectives::inline v0 {

namespace detail {

// Both directions are written without branches on the data, only with choices between values, so
// that compilers turn a loop over them into vector instructions on any instruction set. Bits stand
// in 32-bit words, above zeros: where a smaller type comes in between, g++ packs and unpacks
// vectors.

/// condition ? a : b, in a form that stays free of branches.
[[gnu::always_inline]] constexpr std::uint32_t choose(bool condition, std::uint32_t a,
                                                      std::uint32_t b) {
    std::uint32_t const mask = 0U - static_cast<std::uint32_t>(condition);
    return (a & mask) | (b & ~mask);
}

/// A format that is laid out like binary32, with fewer bits: a sign, an exponent and a fraction.
/// `Special` is what overflow gives, without the sign: infinity, or NaN where there is no infinity.
/// Numbers that have all its bits set are no finite ones.
template <class Bits, int ExponentBits, int FractionBits, std::uint32_t Special>
struct narrow_format {
    using bits_type = Bits;

    [[gnu::always_inline]] static constexpr float widen(std::uint32_t bits) {
        std::uint32_t const shifted = (bits & ~sign_bit) << shift;
        std::uint32_t const sign = (bits & sign_bit) << (32 - 8 * sizeof(Bits));
        std::uint32_t const normal = shifted + rebias;
        std::uint32_t const special = normal + rebias;  // infinity and NaN
        // A subnormal has no leading one: read it with one, then take that one off again (exactly).
        float const less_one =
            std::bit_cast<float>(normal + (1U << 23)) - std::bit_cast<float>(least_normal);
        std::uint32_t const finite =
            choose((shifted & exponent) == 0, std::bit_cast<std::uint32_t>(less_one), normal);
        bool const is_special = (shifted & Special << shift) == Special << shift;
        return std::bit_cast<float>(choose(is_special, special, finite) | sign);
    }

    [[gnu::always_inline]] static constexpr std::uint32_t narrow(float value) {
        std::uint32_t const bits = std::bit_cast<std::uint32_t>(value);
        std::uint32_t const sign = bits & 0x80000000U;
        std::uint32_t const size = bits ^ sign;
        std::uint32_t const odd = (size >> shift) & 1U;
        std::uint32_t const below_half = (1U << (shift - 1)) - 1;
        std::uint32_t const normal =
            (size - rebias + below_half + odd) >> shift;  // ties go to even
        // For a subnormal, add a float whose last bit is worth the least subnormal: the sum ends
        // with the rounded bits. Other values add zero, so that no trap or NaN comes out of a value
        // that is not used.
        bool const tiny = size < least_normal;
        float const sum =
            std::bit_cast<float>(choose(tiny, size, 0U)) + std::bit_cast<float>(counting);
        std::uint32_t const subnormal = std::bit_cast<std::uint32_t>(sum) - counting;
        std::uint32_t const fraction = (1U << FractionBits) - 1;
        std::uint32_t const quiet_nan =  // with its payload
            Special | 1U << (FractionBits - 1) | (size >> shift & fraction);
        std::uint32_t const special = choose(size > (255U << 23), quiet_nan, Special);
        std::uint32_t const finite = choose(tiny, subnormal, normal);
        bool const is_special = size >= (Special << shift) + rebias;
        return choose(is_special, special, finite) | sign >> (32 - 8 * sizeof(Bits));
    }

private:
    static constexpr std::uint32_t sign_bit = 1U << (ExponentBits + FractionBits);
    static constexpr int shift = 23 - FractionBits;
    static constexpr std::uint32_t bias = (1U << (ExponentBits - 1)) - 1;
    static constexpr std::uint32_t rebias = (127 - bias) << 23;
    static constexpr std::uint32_t exponent = ((1U << ExponentBits) - 1) << 23;
    static constexpr std::uint32_t least_normal = rebias + (1U << 23);
    static constexpr std::uint32_t counting = (127 + 24 - bias - FractionBits) << 23;
};

/// The upper half of a binary32.
struct upper_half {
    using bits_type = std::uint16_t;

    static constexpr float widen(std::uint32_t bits) { return std::bit_cast<float>(bits << 16); }
    static constexpr std::uint32_t narrow(float value) { return rounded(value) >> 16; }
    /// The bits of a float, rounded to those of a bfloat16 in the upper half; the lower half is
    /// noise.
    static constexpr std::uint32_t rounded(float value) {
        std::uint32_t const bits = std::bit_cast<std::uint32_t>(value);
        std::uint32_t const rounded = bits + 0x7fffU + ((bits >> 16) & 1U);
        bool const is_nan = static_cast<std::int32_t>(bits & 0x7fffffffU) > (255 << 23);
        return choose(is_nan, bits | 0x00400000U, rounded);
    }
};

/// What all of these types have in common. Converts explicitly from float (round to nearest even)
/// and to float (exactly); compares like float.
template <class Self, class Format>
class narrow_value {
public:
    using format = Format;
    using bits_type = typename Format::bits_type;

    narrow_value() = default;
    explicit constexpr narrow_value(float value)
        : bits_(static_cast<bits_type>(Format::narrow(value))) {}
    explicit constexpr operator float() const { return Format::widen(bits_); }

    static constexpr Self from_bits(bits_type bits) {
        Self result{};
        result.bits_ = bits;
        return result;
    }
    constexpr bits_type bits() const { return bits_; }

    friend constexpr bool operator==(Self a, Self b) {
        return static_cast<float>(a) == static_cast<float>(b);
    }
    friend constexpr std::partial_ordering operator<=>(Self a, Self b) {
        return static_cast<float>(a) <=> static_cast<float>(b);
    }

private:
    bits_type bits_;
};

}  // namespace detail

/// IEEE 754 binary16: 1 sign, 5 exponent and 10 fraction bits. Converts explicitly from float
/// (round to nearest even; overflow gives infinity) and to float (exactly). Compares like float.
class float16
    : public detail::narrow_value<float16, detail::narrow_format<std::uint16_t, 5, 10, 0x7c00>> {
public:
    using narrow_value::narrow_value;
};

/// The upper half of a binary32: 1 sign, 8 exponent and 7 fraction bits. Converts explicitly from
/// float (round to nearest even) and to float (exactly). Compares like float.
class bfloat16 : public detail::narrow_value<bfloat16, detail::upper_half> {
public:
    using narrow_value::narrow_value;
};

/// E5M2 of the OCP 8-bit Floating Point Specification (OFP8), PyTorch's float8_e5m2: 1 sign, 5
/// exponent and 2 fraction bits, the largest finite number is 57344. Converts explicitly from float
/// (round to nearest even; overflow gives infinity) and to float (exactly). Compares like float.
class float8_e5m2
    : public detail::narrow_value<float8_e5m2, detail::narrow_format<std::uint8_t, 5, 2, 0x7c>> {
public:
    using narrow_value::narrow_value;
};

/// E4M3 of the OCP 8-bit Floating Point Specification (OFP8), PyTorch's float8_e4m3fn: 1 sign, 4
/// exponent and 3 fraction bits, the largest finite number is 448. It has no infinity, and one NaN
/// of each sign: 0x7f and 0xff. Converts explicitly from float (round to nearest even) and to float
/// (exactly). Compares like float. Overflow is not saturated: infinity, and what rounds to more
/// than 448 (so more than 464, a tie that goes to 448), gives NaN, as in PyTorch.
class float8_e4m3
    : public detail::narrow_value<float8_e4m3, detail::narrow_format<std::uint8_t, 4, 3, 0x7f>> {
public:
    using narrow_value::narrow_value;
};

/// The types that are stored in 16 or 8 bits and added up in float.
template <class T>
concept narrow_float = std::same_as<T, float16> || std::same_as<T, bfloat16> ||
                       std::same_as<T, float8_e5m2> || std::same_as<T, float8_e4m3>;

}  // namespace collectives
