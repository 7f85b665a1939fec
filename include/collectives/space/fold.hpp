// SPDX-License-Identifier: BSD-3-Clause
// The loops of the host's reductions: a left fold of n arrays, element by element, in one pass.
#pragma once

#include <collectives/core/reduction_op.hpp>
#include <collectives/space/elements.hpp>
#include <collectives/space/widen.hpp>

#include <cstddef>
#include <type_traits>

namespace collectives::host::detail {

/// How one operator reduces arrays of T. `Raw`: every source still is to be prepared. `Last`: the
/// result is finished for `finish_size` ranks.
template <class Op, class T, bool Raw, bool Last>
struct folder {
    // A small operator is held by value, so that the loops need not fetch its state again after
    // every byte they store.
    std::conditional_t<std::is_trivially_copyable_v<Op> && sizeof(Op) <= 32, Op const, Op const&>
        op;
    int finish_size;
    collectives::detail::rounding_barrier rounded{};

    [[gnu::always_inline]] T read(std::byte const* source, std::size_t i) const {
        T value = load<T>(source + i * sizeof(T));
        if constexpr (Raw && collectives::detail::prepares<Op, T>) {
            if constexpr (requires { op.prepare(value, rounded); }) {
                return op.prepare(value, rounded);
            } else {
                return op.prepare(value);
            }
        } else {
            return value;
        }
    }

    [[gnu::always_inline]] void write(std::byte* dst, std::size_t i, T const& value) const {
        if constexpr (Last && collectives::detail::finishes<Op, T>) {
            store(dst + i * sizeof(T), op.finish(value, finish_size));
        } else {
            store(dst + i * sizeof(T), value);
        }
    }

    [[gnu::always_inline]] T apply(T const& a, T const& b) const {
        if constexpr (collectives::detail::accumulates_wide<Op> &&
                      requires { op(a, b, rounded); }) {
            return static_cast<T>(op(a, b, rounded));
        } else {
            return static_cast<T>(op(a, b));
        }
    }

    void fold1(std::byte* dst, std::byte const* a, std::size_t count) const {
        for_each_index(count, [=, *this](std::size_t i) { write(dst, i, read(a, i)); });
    }

    void fold2(std::byte* dst, std::byte const* a, std::byte const* b, std::size_t count) const {
        for_each_index(count,
                       [=, *this](std::size_t i) { write(dst, i, apply(read(a, i), read(b, i))); });
    }

    void fold3(std::byte* dst, std::byte const* a, std::byte const* b, std::byte const* c,
               std::size_t count) const {
        for_each_index(count, [=, *this](std::size_t i) {
            write(dst, i, apply(apply(read(a, i), read(b, i)), read(c, i)));
        });
    }

    void fold4(std::byte* dst, std::byte const* a, std::byte const* b, std::byte const* c,
               std::byte const* d, std::size_t count) const {
        for_each_index(count, [=, *this](std::size_t i) {
            write(dst, i, apply(apply(apply(read(a, i), read(b, i)), read(c, i)), read(d, i)));
        });
    }

    /// Any number of sources: a block of accumulators stays in the nearest cache while one source
    /// after the other is added to it.
    void fold_many(std::byte* dst, std::byte const* const* sources, int n,
                   std::size_t count) const {
        constexpr std::size_t length = sizeof(T) < 4096 ? 4096 / sizeof(T) : 1;
        alignas(64) alignas(T) std::byte sums[length * sizeof(T)];
        auto const sum = [&sums](std::size_t i) { return sums + i * sizeof(T); };
        for (std::size_t first = 0; first < count; first += length) {
            std::size_t const here = count - first < length ? count - first : length;
            std::byte const* const a = sources[0] + first * sizeof(T);
            std::byte const* const b = sources[1] + first * sizeof(T);
            for_each_index(
                here, [=, *this](std::size_t i) { store(sum(i), apply(read(a, i), read(b, i))); });
            for (int k = 2; k < n - 1; ++k) {
                std::byte const* const s = sources[k] + first * sizeof(T);
                for_each_index(here, [=, *this](std::size_t i) {
                    store(sum(i), apply(load<T>(sum(i)), read(s, i)));
                });
            }
            std::byte const* const z = sources[n - 1] + first * sizeof(T);
            std::byte* const out = dst + first * sizeof(T);
            for_each_index(here, [=, *this](std::size_t i) {
                write(out, i, apply(load<T>(sum(i)), read(z, i)));
            });
        }
    }

    void operator()(std::byte* dst, std::byte const* const* s, int n, std::size_t count) const {
        switch (n) {
            case 1: return fold1(dst, s[0], count);
            case 2: return fold2(dst, s[0], s[1], count);
            case 3: return fold3(dst, s[0], s[1], s[2], count);
            case 4: return fold4(dst, s[0], s[1], s[2], s[3], count);
            default: return fold_many(dst, s, n, count);
        }
    }
};

/// The same for 16-bit floats that are added up in float: block by block, each source is widened,
/// and each result rounded once.
template <class Op, class T, bool Raw, bool Last>
struct wide_folder {
    Op const& op;
    int finish_size;

    void operator()(std::byte* dst, std::byte const* const* sources, int n,
                    std::size_t count) const {
        constexpr std::size_t length = 512;  // two of them are 4 KiB
        float sums[length];
        float next[length];
        auto* const sum_bytes = reinterpret_cast<std::byte*>(sums);
        auto* const next_bytes = reinterpret_cast<std::byte*>(next);
        for (std::size_t first = 0; first < count; first += length) {
            std::size_t const here = count - first < length ? count - first : length;
            read(sums, sources[0] + first * sizeof(T), here);
            for (int k = 1; k < n; ++k) {
                read(next, sources[k] + first * sizeof(T), here);
                folder<Op, float, false, false>{op, 0}.fold2(sum_bytes, sum_bytes, next_bytes,
                                                             here);
            }
            if constexpr (Last) {
                folder<Op, float, false, true>{op, finish_size}.fold1(sum_bytes, sum_bytes, here);
            }
            narrow<T>(dst + first * sizeof(T), sums, here);
        }
    }

private:
    void read(float* to, std::byte const* source, std::size_t count) const {
        widen<T>(to, source, count);
        if constexpr (Raw) {
            auto* const bytes = reinterpret_cast<std::byte*>(to);
            folder<Op, float, true, false>{op, 0}.fold1(bytes, bytes, count);
        }
    }
};

/// What an operator on T adds up in.
template <class Op, class T>
using accumulator =
    std::conditional_t<collectives::detail::accumulates_wide<Op>, accumulator_t<T>, T>;

template <class Op, class T, bool Raw, bool Last>
using folder_for = std::conditional_t<std::is_same_v<accumulator<Op, T>, T>,
                                      folder<Op, T, Raw, Last>, wide_folder<Op, T, Raw, Last>>;

}  // namespace collectives::host::detail
