// SPDX-License-Identifier: BSD-3-Clause
// Copies bytes from memory to memory, through the caches.
#pragma once

#include <collectives/core/compiled.hpp>

#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::host {

namespace detail {

inline constexpr std::size_t line_bytes = 64;

/// The bytes from an address to the start of the next cache line.
inline std::size_t bytes_to_line(void const* address) {
    return (line_bytes - reinterpret_cast<std::uintptr_t>(address) % line_bytes) % line_bytes;
}

#if defined(__x86_64__) && !defined(__NVCC__)
/// Copies at least 32 bytes, forwards, by stores of which only the first and the last, which write
/// some bytes twice, may cross a line's end.
[[gnu::target("avx2")]] void copy_by_avx2(std::byte* to, std::byte const* from, std::size_t bytes);
#endif

}  // namespace detail

/// Copies `bytes` bytes between places that do not overlap. From 2112 bytes on glibc's memcpy may
/// leave it to one instruction (rep movsb), which on some processors takes twice as long where the
/// destination begins 16 bytes further in its page than the source, as vectors of the heap do
/// beside whole pages, and up to 25 times as long where it begins 4 or 8
/// (docs/lab/measurements.md).
void copy_through_caches(void* to, void const* from, std::size_t bytes);

}  // namespace collectives::host

#ifndef COLLECTIVES_COMPILED
#include <collectives/core/copy.ipp>
#endif
