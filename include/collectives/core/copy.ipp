// SPDX-License-Identifier: BSD-3-Clause
// The definitions of core/copy.hpp.
#pragma once

#include <collectives/core/copy.hpp>
#include <collectives/core/isa.hpp>

#include <cstring>

namespace collectives::inline v0::host {

namespace detail {

#if defined(__x86_64__) && !defined(__NVCC__)

[[gnu::target("avx2")]] COLLECTIVES_INLINE void copy_by_avx2(std::byte* to, std::byte const* from,
                                                             std::size_t bytes) {
    using part [[gnu::vector_size(32)]] = long long;
    constexpr std::size_t width = sizeof(part);
    auto const get = [&](part & p, std::size_t at) __attribute__((always_inline)) {
        std::memcpy(&p, from + at, width);
    };
    auto const put = [&](part const& p, std::size_t at) __attribute__((always_inline)) {
        std::memcpy(to + at, &p, width);
    };
    part a, b, c, d;  // no array: g++ would keep that in memory
    auto const move = [&](std::size_t at) __attribute__((always_inline)) {
        get(a, at);
        put(a, at);
    };
    move(0);
    std::size_t at = bytes_to_line(to) % width;
    for (; at + 4 * width <= bytes; at += 4 * width) {
        get(a, at);
        get(b, at + width);
        get(c, at + 2 * width);
        get(d, at + 3 * width);
        put(a, at);
        put(b, at + width);
        put(c, at + 2 * width);
        put(d, at + 3 * width);
    }
    for (; at + width <= bytes; at += width) { move(at); }
    move(bytes - width);
}

#endif

/// Apart, so that short copies stay short where they are inlined.
[[gnu::noinline]] inline void copy_long(void* to, void const* from, std::size_t bytes) {
#if defined(__x86_64__) && !defined(__NVCC__)
    if (current_isa() != isa::portable) {
        copy_by_avx2(static_cast<std::byte*>(to), static_cast<std::byte const*>(from), bytes);
        return;
    }
#endif
    std::memcpy(to, from, bytes);
}

}  // namespace detail

COLLECTIVES_INLINE void copy_through_caches(void* to, void const* from, std::size_t bytes) {
    constexpr std::size_t least_by_vectors = 2048;
    if (bytes >= least_by_vectors) {
        detail::copy_long(to, from, bytes);
    } else {
        std::memcpy(to, from, bytes);
    }
}

}  // namespace collectives::host
