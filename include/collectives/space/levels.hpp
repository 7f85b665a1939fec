// SPDX-License-Identifier: BSD-3-Clause
// One text of a reduction, compiled once for each level of instructions that it may use.
#pragma once

#include <collectives/core/isa.hpp>
#include <collectives/core/op.hpp>
#include <collectives/space/canonical.hpp>
#include <collectives/space/reduction_loops.hpp>
#include <collectives/space/strips.hpp>

#include <algorithm>
#include <concepts>
#include <type_traits>

namespace collectives::inline v0::host::detail {

using collectives::detail::accumulator;

/// Whether a single contribution may differ from the result over one rank.
template <class Op>
inline constexpr bool gives_truth_values =
    std::is_same_v<Op, logical_and> || std::is_same_v<Op, logical_or>;

/// Whether signed and unsigned integers get the same bits.
template <class Op>
inline constexpr bool ignores_sign =
    std::is_same_v<Op, sum> || std::is_same_v<Op, product> || std::is_same_v<Op, bit_and> ||
    std::is_same_v<Op, bit_or> || std::is_same_v<Op, bit_xor> || gives_truth_values<Op>;
template <std::integral F>
inline constexpr bool ignores_sign<premultiplied_sum<F>> = true;

/// The type whose kernels do for an operator what it does on T.
template <class Op, class T>
struct kernel_element : std::type_identity<T> {};
template <class Op, std::integral T>
    requires own_operator<Op> && (!std::same_as<T, bool> && sizeof(T) <= 8)
struct kernel_element<Op, T>
    : collectives::detail::integer_of<sizeof(T), std::is_signed_v<T> && !ignores_sign<Op>> {};

/// Does a pass. It is inlined into the function of a level. `step` is that function: a pass of
/// several steps calls it for each.
template <isa Level, class Op, class T>
[[gnu::always_inline]] inline void fold(reducer::reduce_function step, void const* op,
                                        reduction const& r) {
    using acc = accumulator<Op, T>;
    Op const& typed = *static_cast<Op const*>(op);
    extras const does{collectives::detail::prepares<Op, acc> && r.raw,
                      collectives::detail::finishes<Op, acc> && r.finish_size > 0};
    if constexpr (std::is_same_v<acc, T>) {
        if (fold_in_one_step<Op, T>(typed, r, does)) { return; }
    }
    if (r.n == 1 && !does.prepares && !does.finishes) {
        if (gives_truth_values<Op> && r.finish_size == 1) {
            void const* const itself[]{r.sources[0], r.sources[0]};
            return step(op, {r.dst, itself, 2, r.count, 0, false, r.to});
        }
        return copy(r.dst, r.sources[0], r.count * sizeof(T), r.to);
    }
    if constexpr (std::is_same_v<acc, T>) {
        fold_in_blocks<std::max(block_bytes, sizeof(T)), collectives::detail::prepares<Op, acc>>(
            step, op, sizeof(T), r, does);
    } else {
        fold_strips<Level, Op, T>(typed, r);
    }
}

/// The level that `fold` is told. It matters where elements are widened, and nowhere else, so
/// compilers read one text for all levels otherwise.
template <isa Level, class Op, class T>
inline constexpr isa text_level = std::is_same_v<accumulator<Op, T>, T> ? isa::portable : Level;

template <class Op, class T>
void run_portable(void const* op, reduction const& r) {
    fold<isa::portable, Op, T>(&run_portable<Op, T>, op, r);
}

#if defined(__x86_64__) && !defined(__NVCC__)

template <class Op, class T>
[[gnu::target("avx2,f16c")]] void run_avx2(void const* op, reduction const& r) {
    fold<text_level<isa::avx2, Op, T>, Op, T>(&run_avx2<Op, T>, op, r);
}
template <class Op, class T>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,f16c")]] void run_avx512(void const* op,
                                                                           reduction const& r) {
    fold<text_level<isa::avx512, Op, T>, Op, T>(&run_avx512<Op, T>, op, r);
}

/// The best level of an operator on a type. A user's operator goes no further than AVX2: the
/// compiler may fuse its products and sums as soon as it has AVX-512, and its bits would depend on
/// the machine; and what a user's types do is mostly not for vectors.
template <class Op, class T>
inline constexpr isa best_level = !vector_number<T>  ? isa::portable
                                  : own_operator<Op> ? isa::avx512
                                                     : isa::avx2;

template <class Op, class T>
reducer::reduce_function run_at(isa level) {
    if constexpr (best_level<Op, T> == isa::avx512) {
        if (level == isa::avx512) { return &run_avx512<Op, T>; }
    }
    if constexpr (best_level<Op, T> != isa::portable) {
        if (level != isa::portable) { return &run_avx2<Op, T>; }
    }
    return &run_portable<Op, T>;
}

#else

template <class Op, class T>
reducer::reduce_function run_at(isa) {
    return &run_portable<Op, T>;
}

#endif

}  // namespace collectives::host::detail
