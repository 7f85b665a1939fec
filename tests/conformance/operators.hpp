// SPDX-License-Identifier: BSD-3-Clause
// What the operators must give for one element of all ranks, and types and operators of a user.
#pragma once

#include <conformance/world.hpp>

#include <algorithm>
#include <complex>
#include <utility>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace conformance {

namespace models {

/// Whole numbers that every format holds exactly; others see them as double.
template <class T>
T number(double x) {
    if constexpr (coll::narrow_float<T>) {
        return T(static_cast<float>(x));
    } else {
        return static_cast<T>(x);
    }
}
template <class T>
using wide_t = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
template <class T>
wide_t<T> wide(T x) {
    if constexpr (coll::narrow_float<T>) {
        return static_cast<double>(static_cast<float>(x));
    } else {
        return static_cast<wide_t<T>>(x);
    }
}
template <class T>
T narrow(wide_t<T> x) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(x);
    } else {
        return number<T>(x);
    }
}
template <class T>
wide_t<T> wide_sum(std::vector<T> const& v) {
    wide_t<T> s = 0;
    for (auto const x : v) { s += wide(x); }
    return s;
}

template <class T>
T sum(std::vector<T> const& v) {
    return narrow<T>(wide_sum(v));
}
template <class T>
T product(std::vector<T> const& v) {
    wide_t<T> p = 1;
    for (auto const x : v) { p *= wide(x); }
    return narrow<T>(p);
}
template <class T>
T min(std::vector<T> const& v) {
    return *std::min_element(v.begin(), v.end());
}
template <class T>
T max(std::vector<T> const& v) {
    return *std::max_element(v.begin(), v.end());
}
template <class T>
T average(std::vector<T> const& v) {
    return narrow<T>(wide(sum(v)) / static_cast<wide_t<T>>(v.size()));
}
template <class T>
T thrice(std::vector<T> const& v) {
    return narrow<T>(3 * wide_sum(v));
}
template <class T>
T half(std::vector<T> const& v) {
    return narrow<T>(wide_sum(v) / 2);
}
template <class T>
T bit_and(std::vector<T> const& v) {
    std::int64_t r = -1;
    for (auto const x : v) { r &= static_cast<std::int64_t>(x); }
    return static_cast<T>(r);
}
template <class T>
T bit_or(std::vector<T> const& v) {
    std::int64_t r = 0;
    for (auto const x : v) { r |= static_cast<std::int64_t>(x); }
    return static_cast<T>(r);
}
template <class T>
T bit_xor(std::vector<T> const& v) {
    std::int64_t r = 0;
    for (auto const x : v) { r ^= static_cast<std::int64_t>(x); }
    return static_cast<T>(r);
}
template <class T>
T logical_and(std::vector<T> const& v) {
    return narrow<T>(std::all_of(v.begin(), v.end(), [](T x) { return wide(x) != 0; }));
}
template <class T>
T logical_or(std::vector<T> const& v) {
    return narrow<T>(std::any_of(v.begin(), v.end(), [](T x) { return wide(x) != 0; }));
}
template <class T>
T complex_sum(std::vector<T> const& v) {
    T s{};
    for (auto const& x : v) { s += x; }
    return s;
}
template <class T>
T complex_product(std::vector<T> const& v) {
    T p = 1;
    for (auto const& x : v) { p *= x; }
    return p;
}

}  // namespace models

/// 2 x 2 whole numbers modulo 2^32. Their product does not commute.
struct matrix {
    std::uint32_t a, b, c, d;
    static matrix random(std::uint64_t x) {
        return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(x >> 32),
                static_cast<std::uint32_t>(x >> 16), static_cast<std::uint32_t>(x >> 48)};
    }
    friend bool operator==(matrix const&, matrix const&) = default;
    friend matrix operator*(matrix const& x, matrix const& y) {
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
                x.c * y.b + x.d * y.d};
    }
};
struct matrix_product {
    matrix operator()(matrix const& x, matrix const& y) const { return x * y; }
};

/// Keeps the order, does not commute.
struct take_first {
    std::int32_t operator()(std::int32_t a, std::int32_t) const { return a; }
};

/// A struct with padding, and an operator with state.
struct span_of_time {
    std::int64_t seconds;
    std::int16_t rank;
    static span_of_time random(std::uint64_t x) {
        return {static_cast<std::int64_t>(x % 50), static_cast<std::int16_t>(x / 50 % 100)};
    }
    friend bool operator==(span_of_time const&, span_of_time const&) = default;
};
struct take_longer {
    int unit;
    span_of_time operator()(span_of_time const& x, span_of_time const& y) const {
        auto const key = [this](span_of_time const& s) {
            return std::pair(s.seconds * unit, s.rank);
        };
        return key(x) < key(y) ? y : x;
    }
};

}  // namespace conformance
