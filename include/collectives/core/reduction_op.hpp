// SPDX-License-Identifier: BSD-3-Clause
// What a reduction requires of its operator, and how operators are told apart across ranks.
#pragma once

#include <collectives/core/arithmetic.hpp>
#include <collectives/core/type_name.hpp>

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace collectives::inline v0 {

/// An associative function object `T(T const&, T const&)`, callable through a const reference, on
/// a trivially copyable T. Nothing else is assumed of it: it need not commute, have no state or be
/// default-constructible, and T need not have a default constructor. It is called concurrently.
/// It must give the same result on all ranks; one that multiplies and adds floating-point numbers
/// should be compiled without contraction (-ffp-contract=off).
///
/// The library's own operators further say, as static members:
///   name                 what they are called in messages;
///   commutes             on numbers, the order of the arguments does not change the bits;
///   accumulates_wide     narrow floats are handed to it as float and rounded once per pass;
/// and as members:
///   prepare(x)           what every rank's own contribution goes through, once, before the rest;
///   finish(total, size)  what the completed reduction over `size` ranks goes through, once.
template <class Op, class T>
concept reduction_op = std::is_trivially_copyable_v<T> && std::is_object_v<Op> &&
                       requires(Op const& op, T const& a, T const& b) {
                           { op(a, b) } -> std::convertible_to<T>;
                       };

namespace detail {

template <class Op>
concept says_it_commutes = requires { requires bool{Op::commutes}; };
template <class Op>
concept commutes_on_anything = requires { requires bool{Op::commutes_on_anything}; };
template <class Op>
concept accumulates_wide = requires { requires bool{Op::accumulates_wide}; };
/// The type in which an operator gets elements of type T.
template <class Op, class T>
using accumulator = std::conditional_t<accumulates_wide<Op>, accumulator_t<T>, T>;
template <class Op, class T>
concept prepares = requires(Op const& op, T const& x) {
    { op.prepare(x) } -> std::same_as<T>;
};
/// Operators whose product must be rounded before it is added, on every machine: they take a
/// rounding_barrier as well.
template <class Op, class T>
concept rounds_before_adding =
    accumulates_wide<Op> && requires(Op const& op, T const& x, rounding_barrier r) { op(x, x, r); };
template <class Op, class T>
concept rounds_when_prepared =
    requires(Op const& op, T const& x, rounding_barrier r) { op.prepare(x, r); };
template <class Op, class T>
concept finishes = requires(Op const& op, T const& x) {
    { op.finish(x, 1) } -> std::same_as<T>;
};
template <class Op>
concept has_fingerprint = requires(Op const& op) {
    { op.fingerprint() } -> std::same_as<std::uint64_t>;
};
template <class Op>
concept has_name = requires {
    { Op::name } -> std::convertible_to<std::string_view>;
};

}  // namespace detail

/// Whether an operator suits a scan, whose results are partial results too: it must not finish its
/// results, as `average` does.
template <class Op, class T>
concept prefix_op = reduction_op<Op, T> && !detail::finishes<Op, T>;

/// Whether the operator may be applied in any order of the ranks. The library's operators may on
/// numbers (a user's type may define a product that does not commute); others may if they are
/// wrapped in `commutative(f)`.
template <class Op, class T = int>
concept commutative_op =
    (detail::says_it_commutes<Op> && number<T>) || detail::commutes_on_anything<Op>;

/// The name of an operator in messages: its own name, else that of its type.
template <class Op>
constexpr std::string_view op_name() {
    if constexpr (detail::has_name<Op>) {
        return Op::name;
    } else {
        return type_name<Op>();
    }
}

/// Likewise, of an operator at hand.
template <class Op>
constexpr std::string_view op_name(Op const&) {
    return op_name<Op>();
}

/// A 64-bit identity of an operator's type, equal in all processes of one binary.
template <class Op>
constexpr std::uint64_t op_id() {
    return type_id<Op>();
}

/// The same, also for types that are spelt alike.
template <class Op>
constexpr std::uint64_t op_type_fingerprint() {
    if constexpr (detail::is_spelt_once<Op>) {
        return op_id<Op>();
    } else {
        return detail::hash_mix(op_id<Op>(), detail::linker_id<Op>());
    }
}

/// A 64-bit identity of an operator with its state, equal in all processes of one binary. For a
/// user's function object only the type counts, because its state may hold addresses.
template <class Op>
std::uint64_t op_fingerprint(Op const& op) {
    std::uint64_t const type = op_type_fingerprint<Op>();
    if constexpr (detail::has_fingerprint<Op>) {
        return detail::hash_mix(type, op.fingerprint());
    } else {
        static_cast<void>(op);
        return type;
    }
}

/// A user's operator that the caller declares commutative.
template <class F>
struct commutative_function {
    F function;  ///< the user's operator

    static constexpr bool commutes_on_anything = true;
    static constexpr bool accumulates_wide = detail::accumulates_wide<F>;

    template <class T>
        requires std::invocable<F const&, T const&, T const&>
    constexpr decltype(auto) operator()(T const& a, T const& b) const {
        return function(a, b);
    }

    template <class T>
        requires detail::prepares<F, T>
    constexpr T prepare(T const& x) const {
        return function.prepare(x);
    }
    template <class T>
        requires detail::finishes<F, T>
    constexpr T finish(T const& x, int size) const {
        return function.finish(x, size);
    }

    /// For messages about ranks that called with different operators.
    std::uint64_t fingerprint() const { return op_fingerprint(function); }
};

/// The same operator, allowed in any order of the ranks.
template <class F>
constexpr commutative_function<F> commutative(F function) {
    return {std::move(function)};
}

}  // namespace collectives
