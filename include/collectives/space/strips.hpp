// SPDX-License-Identifier: BSD-3-Clause
// Reductions of narrow floats, which are added up in float: strip by strip, all sources are widened
// and folded while the sums stay in registers, and each result is rounded once.
#pragma once

#include <collectives/core/isa.hpp>
#include <collectives/core/narrow_float.hpp>
#include <collectives/space/reduction_loops.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace collectives::inline v0::host::detail {

/// Loops over a part of a strip are what compilers turn into vector instructions. A shorter one g++
/// would take apart into single elements before it looks for vectors.
inline constexpr std::size_t part_length = 32;

/// Elements of a 32-bit word, and parts of a strip.
template <narrow_float T>
inline constexpr std::size_t parts = 4 / sizeof(T);
template <narrow_float T>
inline constexpr std::size_t strip_bytes = parts<T> * part_length * sizeof(T);

/// The floats of a strip of elements. Which of the arrays holds which element is up to the
/// conversions, that know both ways.
template <narrow_float T>
struct strip {
    alignas(64) float part[parts<T>][part_length];
};

/// body(p) for every part, each compiled for itself.
template <narrow_float T, class Body>
[[gnu::always_inline]] inline void for_each_part(Body const& body) {
    [&]<std::size_t... P>(std::index_sequence<P...>) __attribute__((always_inline)) {
        (body(std::integral_constant<std::size_t, P>{}), ...);
    }
    (std::make_index_sequence<parts<T>>{});
}
/// body(p, j) for every place j of every part p.
template <narrow_float T, bool Sure, class Body>
[[gnu::always_inline]] inline void for_each_place(Body const& body) {
    for_each_of<Sure, part_length>([&](std::size_t j) __attribute__((always_inline)) {
        for_each_part<T>([&](auto p) __attribute__((always_inline)) { body(p, j); });
    });
}

#if defined(__x86_64__) && !defined(__NVCC__)

using eight_halves [[gnu::vector_size(16)]] = short;
using eight_floats [[gnu::vector_size(32)]] = float;
using sixteen_halves [[gnu::vector_size(32)]] = short;
using sixteen_floats [[gnu::vector_size(64)]] = float;

/// A mask of sixteen lanes: signed to g++, unsigned to clang.
struct all_lanes {
    constexpr operator short() const { return -1; }
    constexpr operator unsigned short() const { return 0xffff; }
};

[[gnu::target("avx2,f16c")]] inline void widen8(float* to, std::byte const* from) {
    eight_halves halves;
    std::memcpy(&halves, from, sizeof(halves));
    eight_floats const floats = __builtin_ia32_vcvtph2ps256(halves);
    std::memcpy(to, &floats, sizeof(floats));
}
[[gnu::target("avx2,f16c")]] inline void narrow8(std::byte* to, float const* from) {
    eight_floats floats;
    std::memcpy(&floats, from, sizeof(floats));
    eight_halves const halves = __builtin_ia32_vcvtps2ph256(floats, 0);  // to nearest even
    std::memcpy(to, &halves, sizeof(halves));
}
[[gnu::target("avx512f")]] inline void widen16(float* to, std::byte const* from) {
    sixteen_halves halves;
    std::memcpy(&halves, from, sizeof(halves));
    constexpr int as_it_is = 4;  // no rounding mode of its own
    auto const floats =
        __builtin_ia32_vcvtph2ps512_mask(halves, sixteen_floats{}, all_lanes{}, as_it_is);
    std::memcpy(to, &floats, sizeof(floats));
}
[[gnu::target("avx512f")]] inline void narrow16(std::byte* to, float const* from) {
    sixteen_floats floats;
    std::memcpy(&floats, from, sizeof(floats));
    auto const halves = __builtin_ia32_vcvtps2ph512_mask(floats, 0, sixteen_halves{}, all_lanes{});
    std::memcpy(to, &halves, sizeof(halves));
}

#else

// Named below, for levels that no other processor has.
void widen8(float* to, std::byte const* from);
void narrow8(std::byte* to, float const* from);
void widen16(float* to, std::byte const* from);
void narrow16(std::byte* to, float const* from);

#endif

/// A strip of elements at any address, without an instruction for it: elements come in words of 32
/// bits, so that none has to change its place among the vectors' lanes.
template <narrow_float T>
[[gnu::always_inline]] inline void widen_words(strip<T>& to, std::byte const* from) {
    for_each_place<T, true>([&](auto p, std::size_t j) __attribute__((always_inline)) {
        constexpr std::uint32_t all = 0xffffffffU >> (32 - 8 * sizeof(T));
        auto const word = load<std::uint32_t>(from + 4 * j) >> 8 * sizeof(T) * p;
        to.part[p][j] = T::format::widen(word & all);
    });
}
template <narrow_float T>
[[gnu::always_inline]] inline void narrow_words(std::byte* to, strip<T> const& from) {
    for_each_of<true, part_length>([&](std::size_t j) __attribute__((always_inline)) {
        if constexpr (std::same_as<T, bfloat16>) {
            std::uint32_t const low = collectives::detail::upper_half::rounded(from.part[0][j]);
            std::uint32_t const high = collectives::detail::upper_half::rounded(from.part[1][j]);
            store(to + 4 * j, low >> 16 | (high & 0xffff0000U));
        } else {
            std::uint32_t word = 0;
            for_each_part<T>([&](auto p) __attribute__((always_inline)) {
                word |= T::format::narrow(from.part[p][j]) << 8 * sizeof(T) * p;
            });
            store(to + 4 * j, word);
        }
    });
}

/// `widen` and `narrow` of one instruction level, which all its kernels call: they are long.
template <isa Level, narrow_float T>
struct conversions {
    [[gnu::noinline]] static void widen(strip<T>& to, std::byte const* from) {
        widen_words(to, from);
    }
    [[gnu::noinline]] static void narrow(std::byte* to, strip<T> const& from) {
        narrow_words(to, from);
    }
};

#if defined(__x86_64__) && !defined(__NVCC__)

template <narrow_float T>
struct conversions<isa::avx2, T> {
    [[gnu::noinline, gnu::target("avx2")]] static void widen(strip<T>& to, std::byte const* from) {
        widen_words(to, from);
    }
    [[gnu::noinline, gnu::target("avx2")]] static void narrow(std::byte* to, strip<T> const& from) {
        narrow_words(to, from);
    }
};
template <narrow_float T>
struct conversions<isa::avx512, T> {
    [[gnu::noinline, gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] static void widen(
        strip<T>& to, std::byte const* from) {
        widen_words(to, from);
    }
    [[gnu::noinline, gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] static void narrow(
        std::byte* to, strip<T> const& from) {
        narrow_words(to, from);
    }
};

#endif

/// `widen` and `narrow` take a strip of elements at any address.
template <isa Level, narrow_float T>
[[gnu::always_inline]] inline void widen(strip<T>& to, std::byte const* from) {
    if constexpr (std::same_as<T, float16> && Level == isa::avx512) {
        for (std::size_t j = 0; j < part_length; j += 16) {
            for_each_part<T>([&](auto p) __attribute__((always_inline)) {
                widen16(to.part[p] + j, from + 2 * (p * part_length + j));
            });
        }
    } else if constexpr (std::same_as<T, float16> && Level == isa::avx2) {
        for (std::size_t j = 0; j < part_length; j += 8) {
            for_each_part<T>([&](auto p) __attribute__((always_inline)) {
                widen8(to.part[p] + j, from + 2 * (p * part_length + j));
            });
        }
    } else if constexpr (std::same_as<T, bfloat16>) {
        widen_words(to, from);
    } else {
        conversions<Level, T>::widen(to, from);
    }
}

template <isa Level, narrow_float T>
[[gnu::always_inline]] inline void narrow(std::byte* to, strip<T> const& from) {
    if constexpr (std::same_as<T, float16> && Level == isa::avx512) {
        for (std::size_t j = 0; j < part_length; j += 16) {
            for_each_part<T>([&](auto p) __attribute__((always_inline)) {
                narrow16(to + 2 * (p * part_length + j), from.part[p] + j);
            });
        }
    } else if constexpr (std::same_as<T, float16> && Level == isa::avx2) {
        for (std::size_t j = 0; j < part_length; j += 8) {
            for_each_part<T>([&](auto p) __attribute__((always_inline)) {
                narrow8(to + 2 * (p * part_length + j), from.part[p] + j);
            });
        }
    } else if constexpr (std::same_as<T, bfloat16>) {
        narrow_words(to, from);
    } else {
        conversions<Level, T>::narrow(to, from);
    }
}

/// One strip: `source(k)` is where it lies in source k.
template <isa Level, class T, class Op, class Source>
[[gnu::always_inline]] inline void fold_strip(std::byte* dst, folder<Op, float> const& f,
                                              reduction const& r, int n, Source const& source) {
    constexpr bool sure = folder<Op, float>::sure;
    strip<T> sum;
    strip<T> next;
    auto const read = [&](strip<T> & to, int k) __attribute__((always_inline)) {
        widen<Level, T>(to, source(k));
        if constexpr (collectives::detail::prepares<Op, float>) {
            if (!r.raw) { return; }
            for_each_place<T, sure>([&](auto p, std::size_t j) __attribute__((always_inline)) {
                to.part[p][j] = f.prepared(to.part[p][j]);
            });
            // Rounded to T, as a contribution is that was prepared in a pass of its own.
            alignas(64) std::byte prepared[strip_bytes<T>];
            narrow<Level, T>(prepared, to);
            widen<Level, T>(to, prepared);
        }
    };
    read(sum, 0);
    for (int k = 1; k < n; ++k) {
        read(next, k);
        for_each_place<T, sure>([&](auto p, std::size_t j) __attribute__((always_inline)) {
            sum.part[p][j] = f.apply(sum.part[p][j], next.part[p][j]);
        });
    }
    if constexpr (collectives::detail::finishes<Op, float>) {
        if (r.finish_size > 0) {
            for_each_place<T, sure>([&](auto p, std::size_t j) __attribute__((always_inline)) {
                sum.part[p][j] = f.op.finish(sum.part[p][j], f.finish_size);
            });
        }
    }
    narrow<Level, T>(dst, sum);
}

template <isa Level, class Op, narrow_float T>
[[gnu::always_inline]] inline void fold_strips(Op const& op, reduction const& r) {
    folder<Op, float> const f{op, r.finish_size};
    alignas(64) std::byte results[block_bytes];
    // Strips of many sources in turn and blocks of results beside them: measured, memory is slower.
    auto const blocks = cut::of(r, sizeof(T), true, r.n <= 2);
    auto const all = r.count * sizeof(T);
    copies past_caches;
    auto block = blocks.first * sizeof(T);
    for (std::size_t first = 0; first < all; first += block, block = blocks.length * sizeof(T)) {
        block = std::min(block, all - first);
        auto* const dst = static_cast<std::byte*>(r.dst) + first;
        auto* const result = blocks.streamed ? results : dst;
        auto const source = [&](int k) __attribute__((always_inline)) {
            return static_cast<std::byte const*>(r.sources[k]) + first;
        };
        std::size_t done = 0;
        for (; done + strip_bytes<T> <= block; done += strip_bytes<T>) {
            auto const here = [&](int k) __attribute__((always_inline)) {
                return source(k) + done;
            };
            if (r.n == 2) {  // the most frequent number: without a loop the sums need no memory
                fold_strip<Level, T>(result + done, f, r, 2, here);
            } else {
                fold_strip<Level, T>(result + done, f, r, r.n, here);
            }
        }
        if (done < block) {  // the last strip is filled up with zeros that nobody looks at
            alignas(64) std::byte filled[strip_bytes<T>] = {};
            auto const here = [&](int k) __attribute__((always_inline)) {
                std::memcpy(filled, source(k) + done, block - done);
                return static_cast<std::byte const*>(filled);
            };
            fold_strip<Level, T>(filled, f, r, r.n, here);
            std::memcpy(result + done, filled, block - done);
        }
        if (blocks.streamed) { past_caches.add(dst, results, block, r.to); }
    }
    past_caches.end();
}

}  // namespace collectives::host::detail
