// SPDX-License-Identifier: BSD-3-Clause
// The definitions of core/streaming_copy.hpp.
#pragma once

#include <collectives/core/caches.hpp>
#include <collectives/core/isa.hpp>
#include <collectives/core/streaming_copy.hpp>

#include <algorithm>
#include <cstring>

namespace collectives::inline v0::host {

namespace detail {

#if defined(__x86_64__) && !defined(__NVCC__)

/// Copies whole cache lines; `to` is aligned to one.
inline void stream_lines(std::byte* to, std::byte const* from, std::size_t lines) {
    using part [[gnu::vector_size(16)]] = long long;
    for (; lines > 0; --lines, to += line_bytes, from += line_bytes) {
        part parts[4];
        std::memcpy(parts, from, line_bytes);
        auto* const out = reinterpret_cast<part*>(to);
        for (int i = 0; i < 4; ++i) {
#if defined(__clang__)
            __builtin_nontemporal_store(parts[i], out + i);
#else
            __builtin_ia32_movntdq(out + i, parts[i]);
#endif
        }
    }
}

/// Copies whole lines to `n` places, `at` bytes from the start of each, where a line begins. Writes
/// each line to all places before the next one, and prefetches as much from `next`. So most lines
/// are in flight at once; one store for a line is faster than several (docs/lab/measurements.md).
[[gnu::target("avx512f")]] inline void stream_lines_to_all(std::byte* const* places, std::size_t n,
                                                           std::size_t at, std::byte const* from,
                                                           std::size_t lines,
                                                           list_view<std::byte const* const> next) {
    using whole [[gnu::vector_size(line_bytes)]] = long long;
    for (auto const end = at + lines * line_bytes; at < end; at += line_bytes) {
        for (auto const* const ahead : next) { __builtin_prefetch(ahead + at); }
        whole line;
        std::memcpy(&line, from + at, line_bytes);
        for (std::size_t i = 0; i < n; ++i) {
            auto* const out = reinterpret_cast<whole*>(places[i] + at);
#if defined(__clang__)
            __builtin_nontemporal_store(line, out);
#else
            __builtin_ia32_movntdq512(out, line);
#endif
        }
    }
}
inline bool stores_whole_lines() { return current_isa() == isa::avx512; }

COLLECTIVES_INLINE void end_stream() { __builtin_ia32_sfence(); }

#else

inline constexpr bool stores_whole_lines() { return false; }
inline void stream_lines_to_all(std::byte* const* places, std::size_t n, std::size_t at,
                                std::byte const* from, std::size_t lines,
                                list_view<std::byte const* const>) {
    for (std::size_t i = 0; i < n; ++i) {
        std::memcpy(places[i] + at, from + at, lines * line_bytes);
    }
}
inline void stream_lines(std::byte* to, std::byte const* from, std::size_t lines) {
    std::memcpy(to, from, lines * line_bytes);
}
COLLECTIVES_INLINE void end_stream() {}

#endif

/// Copies any bytes past the caches; first and last bytes of no whole line go through them.
inline void stream(std::byte* to, std::byte const* from, std::size_t bytes) {
    std::size_t const head = std::min(bytes_to_line(to), bytes);
    std::size_t const lines = (bytes - head) / line_bytes;
    std::size_t const end = head + lines * line_bytes;
    std::memcpy(to, from, head);
    if (stores_whole_lines()) {
        stream_lines_to_all(&to, 1, head, from, lines, {});
    } else {
        stream_lines(to + head, from + head, lines);
    }
    std::memcpy(to + end, from + end, bytes - end);
}

/// From this many times the size of the last-level cache, results that nobody reads soon go past
/// the caches. Measured (docs/lab/measurements.md): at 1, sums gain up to a third; at 1/2, copies
/// gain as much, but some sums lose a tenth; at 1/30, all lose.
inline constexpr double streamed_cache_sizes = 1.0;

}  // namespace detail

COLLECTIVES_INLINE destination destination_of(std::size_t bytes) {
    constexpr auto servers_have = std::size_t{32} << 20;  // at least
    auto const known = caches().last;
    auto const cache = static_cast<double>(known != 0 ? known : servers_have);
    bool const large = static_cast<double>(bytes) >= detail::streamed_cache_sizes * cache;
    return detail::can_pass_caches && large ? destination::not_read_soon : destination::read_soon;
}

[[gnu::noinline]] COLLECTIVES_INLINE void copies::add(void* dst, void const* src, std::size_t bytes,
                                                      destination to) {
    if (bytes == 0 || dst == src) { return; }
    if (detail::can_pass_caches && to == destination::not_read_soon) {
        detail::stream(static_cast<std::byte*>(dst), static_cast<std::byte const*>(src), bytes);
        streams_ = true;
    } else {
        copy_through_caches(dst, src, bytes);
    }
}

COLLECTIVES_INLINE void copies::add(list_view<std::byte* const> dsts, std::byte const* src,
                                    std::size_t bytes, destination to,
                                    list_view<std::byte const* const> next) {
    auto const head = std::min(detail::bytes_to_line(dsts[0]), bytes);
    auto const lines = (bytes - head) / detail::line_bytes;
    auto alike = true;  // all at the same distance to a line
    for (auto const* const d : dsts) {
        alike = alike && detail::bytes_to_line(d) == detail::bytes_to_line(dsts[0]);
    }
    if (detail::stores_whole_lines() && to == destination::not_read_soon && alike) {
        detail::stream_lines_to_all(dsts.data(), dsts.size(), head, src, lines, next);
        auto const end = head + lines * detail::line_bytes;
        for (auto* const d : dsts) {
            std::memcpy(d, src, head);
            std::memcpy(d + end, src + end, bytes - end);
        }
        streams_ = true;
        return;
    }
    if (to == destination::not_read_soon) {
        for (auto const* const n : next) {
            for (std::size_t i = 0; i < bytes; i += detail::line_bytes) {
                __builtin_prefetch(n + i);
            }
        }
    }
    for (auto* const d : dsts) { add(d, src, bytes, to); }
}

[[gnu::noinline]] COLLECTIVES_INLINE void copy(void* dst, void const* src, std::size_t bytes,
                                               destination to) {
    copies one;
    one.add(dst, src, bytes, to);
    one.end();
}

}  // namespace collectives::host
