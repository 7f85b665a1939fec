// SPDX-License-Identifier: BSD-3-Clause
// The host's memory: how it is copied, and how a typed operator becomes a reducer of bytes.
#pragma once

#include <collectives/core/isa.hpp>
#include <collectives/core/op.hpp>
#include <collectives/core/streaming_copy.hpp>
#include <collectives/space/described.hpp>
#include <collectives/space/levels.hpp>
#include <collectives/space/reducer.hpp>

namespace collectives::inline v0::host {

/// The reducer of `op` on elements of type T. It keeps the address of `op`. Throws usage_error
/// where COLLECTIVES_ISA says what cannot be.
template <class T, reduction_op<T> Op>
[[gnu::always_inline]] inline reducer make_reducer(Op const& op, isa level) {
    auto result = describe_reducer<T>(op);
    result.reduce = detail::run_at<Op, typename detail::kernel_element<Op, T>::type>(level);
    result.prepares = collectives::detail::prepares<Op, collectives::detail::accumulator<Op, T>>;
    return result;
}

template <class T, reduction_op<T> Op>
[[gnu::always_inline]] inline reducer make_reducer(Op const& op) {
    return make_reducer<T>(op, current_isa());
}

}  // namespace collectives::host

#ifdef COLLECTIVES_COMPILED
#include <collectives/space/compiled_kernels.hpp>
#endif
