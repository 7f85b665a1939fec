// SPDX-License-Identifier: BSD-3-Clause
// The loops of the host's reductions: a left fold of n arrays, element by element, in one pass.
#pragma once

#include <collectives/core/reduction_op.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace collectives::host::detail {

/// Reads a T at any address; T need not have a default constructor.
template <class T>
[[gnu::always_inline]] inline T load(std::byte const* from) {
    if constexpr (complex_number<T>) {  // as two parts, which is what vector instructions want
        using part = typename T::value_type;
        return T(load<part>(from), load<part>(from + sizeof(part)));
    } else if constexpr (std::is_trivially_default_constructible_v<T>) {
        T value;
        std::memcpy(&value, from, sizeof(T));
        return value;
    } else {
        std::array<std::byte, sizeof(T)> bytes;
        std::memcpy(bytes.data(), from, sizeof(T));
        return std::bit_cast<T>(bytes);
    }
}

template <class T>
[[gnu::always_inline]] inline void store(std::byte* to, T const& value) {
    if constexpr (complex_number<T>) {
        store(to, value.real());
        store(to + sizeof(T) / 2, value.imag());
    } else {
        std::memcpy(to, &value, sizeof(T));
    }
}

/// What an operator on T adds up in.
template <class Op, class T>
using accumulator =
    std::conditional_t<collectives::detail::accumulates_wide<Op>, accumulator_t<T>, T>;

/// body(i) for i in 0 .. count - 1; the iterations may run in any order or at once. Most of them
/// run in stretches of a fixed length: those g++ 12 turns into vector instructions at -O2 already.
template <class Body>
[[gnu::always_inline]] inline void for_each_index(std::size_t count, Body const& body) {
    constexpr std::size_t stretch = 64;
    std::size_t i = 0;
    for (; i + stretch <= count; i += stretch) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
        for (std::size_t j = 0; j < stretch; ++j) { body(i + j); }
    }
    for (; i < count; ++i) { body(i); }
}

/// How one operator reduces arrays of T. `Raw`: every source still is to be prepared. `Last`: the
/// result is finished for `finish_size` ranks.
template <class Op, class T, bool Raw, bool Last>
struct folder {
    using acc = accumulator<Op, T>;

    // A small operator is held by value, so that the loops need not fetch its state again after
    // every byte they store.
    std::conditional_t<std::is_trivially_copyable_v<Op> && sizeof(Op) <= 32, Op const, Op const&>
        op;
    int finish_size;
    collectives::detail::rounding_barrier rounded{};

    [[gnu::always_inline]] acc read(std::byte const* source, std::size_t i) const {
        acc value = static_cast<acc>(load<T>(source + i * sizeof(T)));
        if constexpr (Raw && collectives::detail::prepares<Op, acc>) {
            if constexpr (requires { op.prepare(value, rounded); }) {
                return op.prepare(value, rounded);
            } else {
                return op.prepare(value);
            }
        } else {
            return value;
        }
    }

    [[gnu::always_inline]] void write(std::byte* dst, std::size_t i, acc const& value) const {
        if constexpr (Last && collectives::detail::finishes<Op, acc>) {
            store(dst + i * sizeof(T), static_cast<T>(op.finish(value, finish_size)));
        } else {
            store(dst + i * sizeof(T), static_cast<T>(value));
        }
    }

    [[gnu::always_inline]] acc apply(acc const& a, acc const& b) const {
        if constexpr (collectives::detail::accumulates_wide<Op> &&
                      requires { op(a, b, rounded); }) {
            return static_cast<acc>(op(a, b, rounded));
        } else {
            return static_cast<acc>(op(a, b));
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
        constexpr std::size_t length = sizeof(acc) < 4096 ? 4096 / sizeof(acc) : 1;
        alignas(64) alignas(acc) std::byte sums[length * sizeof(acc)];
        auto const sum = [&sums](std::size_t i) { return sums + i * sizeof(acc); };
        for (std::size_t first = 0; first < count; first += length) {
            std::size_t const here = count - first < length ? count - first : length;
            std::byte const* const a = sources[0] + first * sizeof(T);
            std::byte const* const b = sources[1] + first * sizeof(T);
            for_each_index(
                here, [=, *this](std::size_t i) { store(sum(i), apply(read(a, i), read(b, i))); });
            for (int k = 2; k < n - 1; ++k) {
                std::byte const* const s = sources[k] + first * sizeof(T);
                for_each_index(here, [=, *this](std::size_t i) {
                    store(sum(i), apply(load<acc>(sum(i)), read(s, i)));
                });
            }
            std::byte const* const z = sources[n - 1] + first * sizeof(T);
            std::byte* const out = dst + first * sizeof(T);
            for_each_index(here, [=, *this](std::size_t i) {
                write(out, i, apply(load<acc>(sum(i)), read(z, i)));
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

}  // namespace collectives::host::detail
