// SPDX-License-Identifier: BSD-3-Clause
// What the operators compute on the number types: sums that wrap, products that are not fused,
// and a smaller and a larger that do not depend on the order of their arguments.
#pragma once

#include <collectives/core/narrow_float.hpp>

#include <bit>
#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace collectives::inline v0 {

namespace detail {

template <class T>
inline constexpr bool is_complex = false;
template <std::floating_point T>
inline constexpr bool is_complex<std::complex<T>> = true;

}  // namespace detail

template <class T>
concept complex_number = detail::is_complex<T>;

/// The types whose arithmetic the library itself knows.
template <class T>
concept number = std::integral<T> || std::floating_point<T> || complex_number<T> || narrow_float<T>;

/// What values of T are added up in: float for the narrow floats, else T itself.
template <class T>
using accumulator_t = std::conditional_t<narrow_float<T>, float, T>;

namespace detail {

/// Returns a product unchanged, but rounded to its type before it is used. Compilers may fuse a
/// multiplication and an addition (g++ does, if the machine can); the bits would then differ
/// between machines, and between the vector part of a loop and its tail. The barrier mixes a zero
/// that the compiler cannot see into the bits of the product. Made once before a loop, it does not
/// stop the compiler from vectorising the loop.
class rounding_barrier {
public:
    constexpr rounding_barrier() {
        if (!std::is_constant_evaluated()) { asm("" : "+r"(zero_)); }
    }
    /// For a compiler that looks through that: a zero that it cannot know before the program runs.
    explicit constexpr rounding_barrier(std::uint32_t zero) : zero_(zero) {}

    template <std::floating_point T>
    constexpr T operator()(T product) const {
        if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
            return std::bit_cast<T>(std::bit_cast<std::uint32_t>(product) ^ zero_);
        } else if constexpr (sizeof(T) == sizeof(std::uint64_t)) {
            return std::bit_cast<T>(std::bit_cast<std::uint64_t>(product) ^ zero_);
        } else {
            return product;  // no machine fuses these
        }
    }

private:
    std::uint32_t zero_ = 0;
};

/// The unsigned type in which an integer's sums and products wrap, at least as wide as int so that
/// promotion does not make it signed again.
template <std::integral T>
struct wrapping {
    using type = std::conditional_t<(sizeof(T) > sizeof(unsigned)), std::uint64_t, unsigned>;
};
template <std::integral T>
    requires(sizeof(T) > sizeof(std::uint64_t))
struct wrapping<T> : std::make_unsigned<T> {};
template <std::integral T>
using wrapping_t = typename wrapping<T>::type;

template <number T>
constexpr T add(T const& a, T const& b) {
    if constexpr (std::same_as<T, bool>) {
        return a || b;
    } else if constexpr (std::integral<T>) {
        return static_cast<T>(static_cast<wrapping_t<T>>(a) + static_cast<wrapping_t<T>>(b));
    } else if constexpr (narrow_float<T>) {
        return T(static_cast<float>(a) + static_cast<float>(b));
    } else if constexpr (complex_number<T>) {  // nvcc 13.0 drops the sum of two std::complex
        return T(a.real() + b.real(), a.imag() + b.imag());
    } else {
        return a + b;
    }
}

template <number T>
constexpr T multiply(T const& a, T const& b, rounding_barrier rounded = {}) {
    if constexpr (std::same_as<T, bool>) {
        return a && b;
    } else if constexpr (std::integral<T>) {
        return static_cast<T>(static_cast<wrapping_t<T>>(a) * static_cast<wrapping_t<T>>(b));
    } else if constexpr (narrow_float<T>) {
        return T(static_cast<float>(a) * static_cast<float>(b));
    } else if constexpr (complex_number<T>) {
        return T(rounded(a.real() * b.real()) - rounded(a.imag() * b.imag()),
                 rounded(a.real() * b.imag()) + rounded(a.imag() * b.real()));
    } else {
        return rounded(a * b);
    }
}

/// The factors with which a number may be multiplied: those that lose nothing before the product.
template <class F, class T>
concept scales_number =
    number<F> && number<T> &&
    (std::integral<T>    ? std::integral<F>
     : complex_number<T> ? !narrow_float<F> && (std::same_as<F, T> || !complex_number<F>)
                         : !complex_number<F>);

template <class F, class T>
    requires scales_number<F, T>
constexpr T scale(F const& factor, T const& value, rounding_barrier rounded = {}) {
    if constexpr (narrow_float<F>) {
        return scale(static_cast<float>(factor), value, rounded);
    } else if constexpr (std::same_as<F, T>) {
        return multiply(factor, value, rounded);
    } else if constexpr (std::integral<T>) {
        return multiply(static_cast<T>(factor), value, rounded);
    } else if constexpr (narrow_float<T>) {
        return T(scale(factor, static_cast<float>(value), rounded));
    } else if constexpr (complex_number<T>) {
        return T(scale(factor, value.real(), rounded), scale(factor, value.imag(), rounded));
    } else {
        using wide = std::common_type_t<F, T>;
        return rounded(static_cast<T>(static_cast<wide>(factor) * static_cast<wide>(value)));
    }
}

/// total / size; integers round toward zero.
template <number T>
constexpr T divide(T const& total, int size) {
    if constexpr (std::integral<T>) {
        using small = std::conditional_t<(sizeof(T) > 4), std::int64_t, std::int32_t>;
        using wide = std::conditional_t<(sizeof(T) > 8), T, small>;
        using word = std::conditional_t<std::is_signed_v<T>, wide, std::make_unsigned_t<wide>>;
        return static_cast<T>(static_cast<word>(total) / static_cast<word>(size));
    } else if constexpr (narrow_float<T>) {
        return T(static_cast<float>(total) / static_cast<float>(size));
    } else if constexpr (complex_number<T>) {
        auto const n = static_cast<typename T::value_type>(size);
        return T(total.real() / n, total.imag() / n);
    } else {
        return total / static_cast<T>(size);
    }
}

/// Of two equal numbers the one that is negative (`minus`) or positive, should they be zeros.
/// Equal numbers that are no zeros have equal bits, which `and` and `or` leave as they are.
template <std::floating_point T>
constexpr T equal_with_sign(T a, T b, bool minus) {
    if constexpr (sizeof(T) <= sizeof(std::uint64_t)) {
        using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        word const x = std::bit_cast<word>(a);
        word const y = std::bit_cast<word>(b);
        return std::bit_cast<T>(minus ? x | y : x & y);
    } else {
        return (__builtin_signbit(a) != 0) == minus ? a : b;
    }
}

/// The smaller of two; NaN if there is one; -0 is smaller than +0. So the result depends neither
/// on the order of the arguments nor on how several are bracketed.
template <number T>
    requires(!complex_number<T>)
constexpr T smaller(T const& a, T const& b) {
    if constexpr (std::integral<T>) {
        return b < a ? b : a;
    } else if constexpr (narrow_float<T>) {
        return T(smaller(static_cast<float>(a), static_cast<float>(b)));
    } else {
        T const less = a < b ? a : b;  // b, if either is a NaN
        T const ordered = a == b ? equal_with_sign(a, b, true) : less;
        return a != a ? a : ordered;
    }
}

/// The larger of two, with the same guarantees.
template <number T>
    requires(!complex_number<T>)
constexpr T larger(T const& a, T const& b) {
    if constexpr (std::integral<T>) {
        return a < b ? b : a;
    } else if constexpr (narrow_float<T>) {
        return T(larger(static_cast<float>(a), static_cast<float>(b)));
    } else {
        T const more = b < a ? a : b;
        T const ordered = a == b ? equal_with_sign(a, b, false) : more;
        return a != a ? a : ordered;
    }
}

template <number T>
    requires(!complex_number<T>)
constexpr bool truth(T const& value) {
    if constexpr (narrow_float<T>) {  // all but the sign
        return static_cast<typename T::bits_type>(value.bits() << 1) != 0;
    } else {
        return value != T{};
    }
}

/// 1 or 0 as a number, by a choice between values: loops over it become vector instructions.
template <number T>
constexpr T truth_value(bool value) {
    if constexpr (narrow_float<T>) {
        constexpr auto one = T(1.0F).bits();
        return T::from_bits(value ? one : typename T::bits_type{});
    } else {
        return value ? T{1} : T{};
    }
}

}  // namespace detail

}  // namespace collectives
