// SPDX-License-Identifier: BSD-3-Clause
// Which kernel does for an operator on a type: where the bits are the same, several share one.
#pragma once

#include <collectives/core/op.hpp>

#include <complex>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace collectives::inline v0::cuda {

/// Its own, on an array of `parts` elements for each.
template <class Op, class T>
struct kernel_types {
    using operation = Op;
    using element = T;
    static constexpr std::size_t parts = 1;
};

/// Integers: the sign counts for min, max and average alone.
template <class Op, std::signed_integral T>
    requires collectives::detail::one_of<Op, sum, product, bit_and, bit_or, bit_xor, logical_and,
                                         logical_or>
struct kernel_types<Op, T> : kernel_types<Op, std::make_unsigned_t<T>> {};
template <std::signed_integral T>
struct kernel_types<premultiplied_sum<T>, T>
    : kernel_types<premultiplied_sum<std::make_unsigned_t<T>>, std::make_unsigned_t<T>> {};

/// Truth values: what adds or takes the larger is `or`, what multiplies or takes the smaller `and`.
template <class Op>
    requires collectives::detail::one_of<Op, sum, max, logical_or, bit_or>
struct kernel_types<Op, bool> : kernel_types<logical_or, unsigned char> {};
template <class Op>
    requires collectives::detail::one_of<Op, product, min, logical_and, bit_and>
struct kernel_types<Op, bool> : kernel_types<logical_and, unsigned char> {};
template <>
struct kernel_types<bit_xor, bool> : kernel_types<bit_xor, unsigned char> {};

/// Complex numbers: real and imaginary parts by themselves, but in products of two.
template <class Op, class T>
    requires collectives::detail::one_of<Op, sum, average, premultiplied_sum<float>,
                                         premultiplied_sum<double>>
struct kernel_types<Op, std::complex<T>> {
    using operation = Op;
    using element = T;
    static constexpr std::size_t parts = 2;
};

}  // namespace collectives::cuda
