// SPDX-License-Identifier: BSD-3-Clause
// How bytes are copied from memory to memory, through the caches.
#pragma once

#include <collectives/core/isa.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace collectives::host {

namespace detail {

inline constexpr std::size_t line_bytes = 64;

/// Bytes from an address to the next cache line's begin.
inline std::size_t bytes_to_line(void const* address) {
    return (line_bytes - reinterpret_cast<std::uintptr_t>(address) % line_bytes) % line_bytes;
}

#if defined(__x86_64__) && !defined(__CUDACC__)

/// Copies at least 32 bytes, forwards, by stores of which only the first and the last, which write
/// some bytes twice, may cross a line's end.
[[gnu::target("avx2")]] inline void copy_by_avx2(std::byte* to, std::byte const* from,
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

}  // namespace detail

/// Copies `bytes` bytes between places that do not overlap. From 2112 bytes on glibc's memcpy may
/// leave it to one instruction (rep movsb), which on some processors takes twice as long where the
/// destination begins 16 bytes further in its page than the source, as vectors of the heap do
/// beside whole pages, and up to 25 times as long where it begins 4 or 8 (docs/performance.md).
inline void copy_through_caches(void* to, void const* from, std::size_t bytes) {
#if defined(__x86_64__) && !defined(__CUDACC__)
    constexpr std::size_t least_by_vectors = 2048;
    if (bytes >= least_by_vectors && current_isa() != isa::portable) {
        detail::copy_by_avx2(static_cast<std::byte*>(to), static_cast<std::byte const*>(from),
                             bytes);
        return;
    }
#endif
    std::memcpy(to, from, bytes);
}

}  // namespace collectives::host
