// SPDX-License-Identifier: BSD-3-Clause
// The loops of the host's reductions: a left fold of n arrays, element by element, in one pass.
// Everything here is inlined into one function per level of instructions, and so is compiled for
// each; that is why lambdas say `always_inline`: they do not inherit what their function is told.
#pragma once

#include <collectives/core/op.hpp>
#include <collectives/core/streaming_copy.hpp>
#include <collectives/space/elements.hpp>
#include <collectives/space/reducer.hpp>

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace collectives::inline v0::host::detail {

/// What is held between two steps of a fold, and between a fold and its stream past the caches:
/// few enough bytes to stay in the nearest cache beside as many of each source.
inline constexpr std::size_t block_bytes = 4096;

/// The operators whose code is known: where they add to a product, it was rounded before.
template <class Op>
inline constexpr bool own_operator = collectives::detail::stateless_ops::has<Op>;
template <class F>
inline constexpr bool own_operator<premultiplied_sum<F>> = number<F>;

/// The numbers that fit into the lanes of vector instructions.
template <class T>
concept vector_number =
    number<T> && !std::same_as<T, long double> && !std::same_as<T, std::complex<long double>>;

/// How one operator reduces arrays of T.
template <class Op, class T>
struct folder {
    // A small operator is held by value, so that the loops need not fetch its state again after
    // every byte they store.
    std::conditional_t<std::is_trivially_copyable_v<Op> && sizeof(Op) <= 32, Op const, Op const&>
        op;
    int finish_size;
    collectives::detail::rounding_barrier rounded{};
    static constexpr bool sure = own_operator<Op> && vector_number<T>;

    [[gnu::always_inline]] static T at(std::byte const* array, std::size_t i) {
        return load<T>(array + i * sizeof(T));
    }
    [[gnu::always_inline]] static void put(std::byte* array, std::size_t i, T const& value) {
        store(array + i * sizeof(T), value);
    }

    [[gnu::always_inline]] T apply(T const& a, T const& b) const {
        if constexpr (collectives::detail::rounds_before_adding<Op, T>) {
            return static_cast<T>(op(a, b, rounded));
        } else {
            return static_cast<T>(op(a, b));
        }
    }
    [[gnu::always_inline]] T prepared(T const& value) const {
        if constexpr (collectives::detail::rounds_when_prepared<Op, T>) {
            return op.prepare(value, rounded);
        } else {
            return op.prepare(value);
        }
    }

    [[gnu::always_inline]] void fold2(std::byte* dst, std::byte const* a, std::byte const* b,
                                      std::size_t count) const {
        for_each_index<T, sure>(
            count, [ =, *this ](std::size_t i)
                       __attribute__((always_inline)) { put(dst, i, apply(at(a, i), at(b, i))); });
    }
    [[gnu::always_inline]] void fold3(std::byte* dst, std::byte const* a, std::byte const* b,
                                      std::byte const* c, std::size_t count) const {
        for_each_index<T, sure>(
            count, [ =, *this ](std::size_t i) __attribute__((always_inline)) {
                put(dst, i, apply(apply(at(a, i), at(b, i)), at(c, i)));
            });
    }
    [[gnu::always_inline]] void prepare(std::byte* dst, std::byte const* a,
                                        std::size_t count) const {
        for_each_index<T, sure>(
            count, [ =, *this ](std::size_t i)
                       __attribute__((always_inline)) { put(dst, i, prepared(at(a, i))); });
    }
    [[gnu::always_inline]] void finish(std::byte* dst, std::byte const* a,
                                       std::size_t count) const {
        for_each_index<T, sure>(
            count, [ =, *this ](std::size_t i) __attribute__((always_inline)) {
                put(dst, i, op.finish(at(a, i), finish_size));
            });
    }
};

/// How a pass is cut into blocks.
struct cut {
    bool streamed;       // each block's result goes past the caches
    std::size_t first;   // elements of the first block
    std::size_t length;  // of all others

    /// A stream wants blocks that begin where a cache line does; where no element of `size` bytes
    /// begins there, the result goes through the caches.
    static cut of(reduction const& r, std::size_t size, bool in_one, bool may_stream = true) {
        std::size_t const length = size < block_bytes ? block_bytes / size : 1;
        if constexpr (can_pass_caches) {
            std::size_t const head = bytes_to_line(r.dst);
            if (may_stream && r.to == destination::not_read_soon && line_bytes % size == 0 &&
                head % size == 0) {
                return {true, head == 0 ? length : head / size, length};
            }
        }
        return in_one ? cut{false, r.count, r.count} : cut{false, length, length};
    }
};

/// Whether a pass prepares its sources and finishes its result; false if the operator does not.
struct extras {
    bool prepares, finishes;
};

/// A pass that is more than one step, made of steps by `step`, which can fold two or three sources,
/// prepare one or finish one. A block of sums stays in the nearest cache while two more sources
/// after the other are added to it. What must be prepared, finished or streamed goes through such a
/// block, too. A block has `Room` bytes, at least those of an element; stacks must hold it, and a
/// second one only where the operator prepares.
template <std::size_t Room, bool Prepares>
[[gnu::noinline]] void fold_in_blocks(reducer::reduce_function step, void const* op,
                                      std::size_t size, reduction const& r, extras does) {
    alignas(64) std::byte sums[Room];
    alignas(64) std::byte next[Prepares ? Room : 1];
    auto const blocks = cut::of(r, size, r.n <= 3 && !does.prepares && !does.finishes);
    copies past_caches;
    std::size_t here = blocks.first;
    for (std::size_t first = 0; first < r.count; first += here, here = blocks.length) {
        here = std::min(here, r.count - first);
        auto* const dst = static_cast<std::byte*>(r.dst) + first * size;
        auto const source = [&](int k) -> void const* {
            return static_cast<std::byte const*>(r.sources[k]) + first * size;
        };
        auto const take = [&](std::byte * to, void const* const* from, int n, int finish_size,
                              bool raw) __attribute__((noinline)) {
            step(op, {to, from, n, here, finish_size, raw});
        };
        std::byte* const result = blocks.streamed ? sums : dst;
        // Until the last step nothing is written to the destination: it may be a source.
        std::byte* const folded = does.finishes ? sums : result;
        void const* sum = source(0);
        if (does.prepares) {
            auto* const to = r.n == 1 ? folded : sums;
            take(to, &sum, 1, 0, true);
            sum = to;
        }
        for (int k = 1; k < r.n;) {
            int const taken = !does.prepares && k + 1 < r.n ? 2 : 1;
            std::byte* const to = k + taken == r.n ? folded : sums;
            void const* from[]{sum, source(k), taken == 2 ? source(k + 1) : nullptr};
            if (does.prepares) {
                take(next, from + 1, 1, 0, true);
                from[1] = next;
            }
            take(to, from, taken + 1, 0, false);
            sum = to;
            k += taken;
        }
        if (does.finishes) { take(result, &sum, 1, r.finish_size, false); }
        if (blocks.streamed) { past_caches.add(dst, sums, here * size, r.to); }
    }
    past_caches.end();
}

/// A fold whose partial results are of the type of the elements; `step` is the function that this
/// is inlined into. Whether the pass was one step, which is done then.
template <class Op, class T>
[[gnu::always_inline]] inline bool fold_in_one_step(Op const& op, reduction const& r, extras does) {
    if (r.to != destination::read_soon) { return false; }
    folder<Op, T> const f{op, r.finish_size};
    auto* const dst = static_cast<std::byte*>(r.dst);
    auto const source = [&](int k) __attribute__((always_inline)) {
        return static_cast<std::byte const*>(r.sources[k]);
    };
    if (!does.prepares && !does.finishes) {
        if (r.n == 2) { return f.fold2(dst, source(0), source(1), r.count), true; }
        if (r.n == 3) { return f.fold3(dst, source(0), source(1), source(2), r.count), true; }
    } else if (r.n == 1 && does.prepares != does.finishes) {
        if constexpr (collectives::detail::prepares<Op, T>) {
            if (does.prepares) { return f.prepare(dst, source(0), r.count), true; }
        }
        if constexpr (collectives::detail::finishes<Op, T>) {
            if (does.finishes) { return f.finish(dst, source(0), r.count), true; }
        }
    }
    return false;
}

}  // namespace collectives::host::detail
