// SPDX-License-Identifier: BSD-3-Clause
// From a typed operator to the reducer that enqueues its kernel.
#pragma once

#include <collectives/space/cuda/kernels.hpp>
#include <collectives/space/described.hpp>

#include <concepts>
#include <type_traits>

namespace collectives::cuda {

namespace detail {

/// The operator whose kernel on T does for this one.
template <class T, class Op>
Op kernel_operator(Op const& op) {
    return op;
}
template <class T, class F>
auto kernel_operator(commutative_function<F> const& op) {
    return kernel_operator<T>(op.function);
}
/// A factor is converted as `premultiplied_sum` itself would do before it multiplies.
template <number T, number F>
auto kernel_operator(premultiplied_sum<F> const& op) {
    using acc = accumulator_t<T>;
    if constexpr (sixteen_bit_float<F>) {
        return kernel_operator<T>(premultiplied_sum{static_cast<float>(op.factor)});
    } else if constexpr (std::integral<T>) {
        return premultiplied_sum{static_cast<common_type<T>>(op.factor)};
    } else if constexpr (complex_number<F>) {
        return op;
    } else if constexpr (complex_number<T>) {
        using wide = std::common_type_t<F, typename T::value_type>;
        return premultiplied_sum{static_cast<wide>(op.factor)};
    } else {
        return premultiplied_sum{static_cast<std::common_type_t<F, acc>>(op.factor)};
    }
}

template <class Op, class T>
reducer::reduce_function kernel_of() {
    using used = decltype(kernel_operator<T>(std::declval<Op const&>()));
    return kernels().find(typeid(used), typeid(common_type<T>));
}

template <class Op, class T>
void run_kernel(void const* op, reduction const& r) {
    auto const used = kernel_operator<T>(*static_cast<Op const*>(op));
    kernel_of<Op, T>()(&used, r);
}

}  // namespace detail

/// The reducer of `op` on elements of type T in a device's memory. It keeps the address of `op`.
/// Its `reduce` is null where the program has no such kernel. It enqueues, and does not wait.
template <class T, reduction_op<T> Op>
reducer make_reducer(Op const& op) {
    auto result = describe_reducer<T>(op);
    if (detail::kernel_of<Op, T>() != nullptr) { result.reduce = &detail::run_kernel<Op, T>; }
    result.prepares = collectives::detail::prepares<Op, collectives::detail::accumulator<Op, T>>;
    return result;
}

}  // namespace collectives::cuda
