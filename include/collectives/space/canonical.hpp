// SPDX-License-Identifier: BSD-3-Clause
// Operators and element types as a space with kernels of its own knows them: what does the same to
// the same bits has one form.
#pragma once

#include <collectives/core/op.hpp>
#include <collectives/core/type_name.hpp>
#include <collectives/space/reducer.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace collectives::inline v0 {

namespace detail {

template <std::size_t Bytes>
struct signed_of;
template <>
struct signed_of<1> : std::type_identity<std::int8_t> {};
template <>
struct signed_of<2> : std::type_identity<std::int16_t> {};
template <>
struct signed_of<4> : std::type_identity<std::int32_t> {};
template <>
struct signed_of<8> : std::type_identity<std::int64_t> {};

template <std::size_t Bytes, bool Signed>
struct integer_of : signed_of<Bytes> {};
template <std::size_t Bytes>
struct integer_of<Bytes, false> : std::make_unsigned<typename signed_of<Bytes>::type> {};

template <class T>
struct element_form : std::type_identity<T> {};
template <std::integral T>
    requires(!std::same_as<T, bool> && sizeof(T) <= 8)
struct element_form<T> : integer_of<sizeof(T), std::is_signed_v<T>> {};

}  // namespace detail

/// The type that stands for T: integers of one size and sign have one.
template <class T>
using canonical_element = typename detail::element_form<T>::type;

/// The operator that does on T what this one does.
template <class T, class Op>
constexpr Op canonical_operator(Op const& op) {
    return op;
}
template <class T, class F>
constexpr auto canonical_operator(commutative_function<F> const& op) {
    return canonical_operator<T>(op.function);
}
/// A factor is converted as `premultiplied_sum` itself would do before it multiplies.
template <number T, number F>
constexpr auto canonical_operator(premultiplied_sum<F> const& op) {
    using acc = accumulator_t<T>;
    if constexpr (narrow_float<F>) {
        return canonical_operator<T>(premultiplied_sum{static_cast<float>(op.factor)});
    } else if constexpr (std::integral<T>) {
        return premultiplied_sum{static_cast<canonical_element<T>>(op.factor)};
    } else if constexpr (complex_number<F>) {
        return op;
    } else if constexpr (complex_number<T>) {
        using wide = std::common_type_t<F, typename T::value_type>;
        return premultiplied_sum{static_cast<wide>(op.factor)};
    } else {
        return premultiplied_sum{static_cast<std::common_type_t<F, acc>>(op.factor)};
    }
}

/// What a reducer says of its operator and type to such a space.
struct canonical_form {
    using reduce_function = reducer::reduce_function;

    std::type_info const* operation;  // null in a program without such records
    std::type_info const* element;
    /// Null where the caller's operator can be read as one of the canonical type. Else this passes
    /// what it is given on to `kernel`, with an operator of that type.
    reduce_function convert;
    std::atomic<reduce_function>* kernel;
};

namespace detail {

template <class T, class Op>
using canonical_operator_t = decltype(canonical_operator<T>(std::declval<Op const&>()));

template <class Op>
struct unwrapped : std::type_identity<Op> {};
template <class F>
struct unwrapped<commutative_function<F>> : unwrapped<F> {};

/// The kernel to which an operator is passed on: the same for all reducers of these types.
template <class Op, class T>
inline std::atomic<reducer::reduce_function> kernel_of{nullptr};

template <class Op, class T>
void reduce_converted(void const* op, reduction const& pass) {
    auto const used = canonical_operator<T>(*static_cast<Op const*>(op));
    kernel_of<Op, T>.load(std::memory_order_relaxed)(&used, pass);
}

template <class Op, class T>
constexpr canonical_form canonical_form_of_types() {
    using used = canonical_operator_t<T, Op>;
    auto const* const operation = type_record<used>();
    auto const* const element = type_record<canonical_element<T>>();
    if constexpr (std::same_as<used, typename unwrapped<Op>::type>) {
        return {operation, element, nullptr, nullptr};
    } else {
        return {operation, element, &reduce_converted<Op, T>, &kernel_of<Op, T>};
    }
}

}  // namespace detail

template <class Op, class T>
inline constexpr canonical_form canonical_form_of = detail::canonical_form_of_types<Op, T>();

}  // namespace collectives
