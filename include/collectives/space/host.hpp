// SPDX-License-Identifier: BSD-3-Clause
// The host's memory: how it is copied, and how a typed operator becomes a reducer of bytes.
#pragma once

#include <collectives/core/op.hpp>
#include <collectives/space/fold.hpp>
#include <collectives/space/reducer.hpp>

#include <cstddef>
#include <cstring>

namespace collectives::host {

/// Copies `bytes` bytes. The two may be the same place; any other overlap is not allowed.
inline void copy(void* dst, void const* src, std::size_t bytes) {
    if (bytes != 0 && dst != src) { std::memcpy(dst, src, bytes); }
}

namespace detail {

/// Whether a single contribution may differ from the result over one rank.
template <class Op>
inline constexpr bool gives_truth_values =
    std::is_same_v<Op, logical_and> || std::is_same_v<Op, logical_or>;

template <class Op, class T, bool Raw>
void run(void const* op, void* dst, void const* const* sources, int n, std::size_t count,
         int finish_size) {
    using collectives::detail::finishes;
    Op const& typed = *static_cast<Op const*>(op);
    auto* const to = static_cast<std::byte*>(dst);
    auto const* const from = reinterpret_cast<std::byte const* const*>(sources);
    if constexpr (gives_truth_values<Op>) {
        if (n == 1 && finish_size == 1) {
            return folder<Op, T, Raw, false>{typed, 0}.fold2(to, from[0], from[0], count);
        }
    }
    if constexpr (finishes<Op, accumulator<Op, T>>) {
        if (finish_size > 0) {
            return folder_for<Op, T, Raw, true>{typed, finish_size}(to, from, n, count);
        }
    }
    if (n == 1 && !(Raw && collectives::detail::prepares<Op, accumulator<Op, T>>)) {
        return copy(dst, sources[0], count * sizeof(T));
    }
    folder_for<Op, T, Raw, false>{typed, 0}(to, from, n, count);
}

template <class Op, class T>
void prepare(void const* op, void* dst, void const* src, std::size_t count) {
    run<Op, T, true>(op, dst, &src, 1, count, 0);
}

}  // namespace detail

/// The reducer of `op` on elements of type T. It keeps the address of `op`.
template <class T, reduction_op<T> Op>
reducer make_reducer(Op const& op) {
    using acc = detail::accumulator<Op, T>;
    reducer result;
    result.run_partial = result.run_raw = &detail::run<Op, T, false>;
    if constexpr (collectives::detail::prepares<Op, acc>) {
        result.run_raw = &detail::run<Op, T, true>;
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

}  // namespace collectives::host
