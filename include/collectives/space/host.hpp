// SPDX-License-Identifier: BSD-3-Clause
// The host's memory: how it is copied, and how a typed operator becomes a reducer of bytes.
#pragma once

#include <collectives/core/op.hpp>
#include <collectives/space/copy.hpp>
#include <collectives/space/isa.hpp>
#include <collectives/space/levels.hpp>
#include <collectives/space/reducer.hpp>

#include <cstddef>

namespace collectives::host {

namespace detail {

template <class Op, class T>
void prepare(void const* op, void* dst, void const* src, std::size_t count) {
    run_at<Op, T>(current_isa())(
        op, {.dst = dst, .sources = &src, .n = 1, .count = count, .raw = true});
}

}  // namespace detail

/// The reducer of `op` on elements of type T. It keeps the address of `op`. Throws usage_error
/// where COLLECTIVES_ISA says what cannot be.
template <class T, reduction_op<T> Op>
reducer make_reducer(Op const& op, isa level) {
    using acc = detail::accumulator<Op, T>;
    reducer result;
    result.reduce = detail::run_at<Op, T>(level);
    if constexpr (collectives::detail::prepares<Op, acc>) {
        result.prepare = &detail::prepare<Op, T>;
    }
    result.finishes = collectives::detail::finishes<Op, acc>;
    result.commutative = commutative_op<Op, T>;
    result.op = &op;
    result.elem_size = sizeof(T);
    result.fingerprint = collectives::detail::hash_mix(op_fingerprint(op), type_id<T>());
    result.op_name = op_name<Op>();
    result.type_name = type_name<T>();
    return result;
}

template <class T, reduction_op<T> Op>
reducer make_reducer(Op const& op) {
    return make_reducer<T>(op, current_isa());
}

}  // namespace collectives::host
