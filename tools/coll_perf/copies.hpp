// SPDX-License-Identifier: BSD-3-Clause
// Copies to compare with, and memory for private vectors.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace coll_perf {

inline void plain_copy(std::byte* to, std::byte const* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    asm volatile("" : : "r"(to) : "memory");  // it must not be left out
}

/// Writes past the caches, where the machine can.
inline void copy_past_cache(std::byte* to, std::byte const* from, std::size_t bytes) {
#if defined(__SSE2__)
    constexpr std::size_t width = 16;
    auto const head =
        std::min((width - reinterpret_cast<std::uintptr_t>(to) % width) % width, bytes);
    auto const end = bytes - (bytes - head) % width;
    std::memcpy(to, from, head);
    for (auto i = head; i < end; i += width) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                         _mm_loadu_si128(reinterpret_cast<__m128i const*>(from + i)));
    }
    std::memcpy(to + end, from + end, bytes - end);
    _mm_sfence();
#else
    plain_copy(to, from, bytes);
#endif
}

/// Private memory of one rank, on whole pages.
class private_memory {
public:
    explicit private_memory(std::size_t bytes)
        : data_(static_cast<std::byte*>(::operator new(bytes, page))) {}
    std::byte* data() { return data_.get(); }

private:
    static constexpr std::align_val_t page{4096};
    struct release {
        void operator()(std::byte* p) const { ::operator delete(p, page); }
    };
    std::unique_ptr<std::byte, release> data_;
};

}  // namespace coll_perf
