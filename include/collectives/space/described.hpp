// SPDX-License-Identifier: BSD-3-Clause
// What a reducer says of its operator and type, wherever it is carried out.
#pragma once

#include <collectives/core/op.hpp>
#include <collectives/space/canonical.hpp>
#include <collectives/space/reducer.hpp>

#include <cstdint>

namespace collectives::inline v0 {

/// The reducer of `op` on elements of type T, whose address it keeps, without its functions.
template <class T, reduction_op<T> Op>
reducer describe_reducer(Op const& op) {
    reducer result;
    result.finishes = detail::finishes<Op, detail::accumulator<Op, T>>;
    result.commutative = commutative_op<Op, T>;
    result.op = &op;
    result.canonical = &canonical_form_of<Op, T>;
    result.elem_size = sizeof(T);
    if constexpr (detail::has_fingerprint<Op>) {
        result.fingerprint = detail::hash_mix(op_fingerprint(op), type_id<T>());
        result.op_type = op_type_fingerprint<Op>();
    } else {  // the same in each call
        static std::uint64_t const id = detail::hash_mix(op_type_fingerprint<Op>(), type_id<T>());
        result.fingerprint = id;
    }
    result.op_name = op_name<Op>();
    result.type_name = type_name<T>();
    return result;
}

}  // namespace collectives
