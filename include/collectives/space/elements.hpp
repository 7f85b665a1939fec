// SPDX-License-Identifier: BSD-3-Clause
// Elements at any address, and loops over them that compilers turn into vector instructions.
#pragma once

#include <collectives/core/arithmetic.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace collectives::inline v0::host::detail {

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

/// body(i) for i in 0 .. Length - 1, which are few; the iterations may run at once. `Sure` says
/// that they can be turned into vector instructions: clang complains where it is told so in vain.
template <bool Sure, std::size_t Length, class Body>
[[gnu::always_inline]] inline void for_each_of(Body const& body) {
#if defined(__clang__)
    if constexpr (Sure) {
#pragma clang loop vectorize(assume_safety)
        for (std::size_t j = 0; j < Length; ++j) { body(j); }
        return;
    }
#else
#pragma GCC ivdep
#endif
    for (std::size_t j = 0; j < Length; ++j) { body(j); }
}

/// Calls body(i) for i in 0 .. count - 1; the calls may be made in any order or at once. Most of
/// them are made in parts of a fixed length, which g++ 12 turns into vector instructions even at
/// -O2. Shorter parts follow, for vectors that are too small for a whole part. The empty asm keeps
/// the last few calls out of vector instructions, which would only make programs larger.
template <class T, bool Sure, class Body>
[[gnu::always_inline]] inline void for_each_index(std::size_t count, Body const& body) {
    constexpr std::size_t unrolled = std::clamp<std::size_t>(256 / sizeof(T), 16, 64);
    constexpr std::size_t few = 8;
    std::size_t i = 0;
    if constexpr (sizeof(T) > 64) {  // no vector holds it, and it may need much of the stack
        for (; i < count; ++i) { body(i); }
        return;
    }
    for (; i + unrolled <= count; i += unrolled) {
        for_each_of<Sure, unrolled>([&](std::size_t j)
                                        __attribute__((always_inline)) { body(i + j); });
    }
    for (; i + few <= count; i += few) {
        for_each_of<Sure, few>([&](std::size_t j) __attribute__((always_inline)) { body(i + j); });
    }
    for (; i < count; ++i) {
        asm volatile("");
        body(i);
    }
}

}  // namespace collectives::host::detail
