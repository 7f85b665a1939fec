// SPDX-License-Identifier: BSD-3-Clause
// Reductions of 16-bit floats that are added up in float: strip by strip, all sources are widened
// and folded while the sums stay in registers, and each result is rounded once.
#pragma once

#include <collectives/core/half.hpp>
#include <collectives/space/fold.hpp>
#include <collectives/space/isa.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace collectives::host::detail {

/// The floats of a strip of 16-bit elements. Which of the two arrays holds which element is up to
/// the conversions, that know both ways.
template <std::size_t Half>
struct strip {
    alignas(64) float low[Half];
    alignas(64) float high[Half];
};

/// Half a strip fills one register where the conversions are vector instructions.
template <isa Level>
inline constexpr std::size_t half_strip = Level == isa::avx512 ? 16
                                          : Level == isa::avx2 ? 8
                                                               : 32;

#if defined(__x86_64__) && !defined(__CUDACC__)

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

#endif

/// Both take a strip of elements at any address. Where there is no instruction, elements come in
/// pairs, as words: no element has to change its place among the vectors' lanes.
template <isa Level, sixteen_bit_float T, std::size_t Half>
[[gnu::always_inline]] inline void widen(strip<Half>& to, std::byte const* from) {
    if constexpr (std::same_as<T, float16> && Level == isa::avx512) {
        widen16(to.low, from);
        widen16(to.high, from + 2 * Half);
    } else if constexpr (std::same_as<T, float16> && Level == isa::avx2) {
        widen8(to.low, from);
        widen8(to.high, from + 2 * Half);
    } else {
        for_each_of<true, Half>([&to, from ](std::size_t j) __attribute__((always_inline)) {
            auto const two = load<std::uint32_t>(from + 4 * j);
            to.low[j] = static_cast<float>(T::from_bits(static_cast<std::uint16_t>(two)));
            to.high[j] = static_cast<float>(T::from_bits(static_cast<std::uint16_t>(two >> 16)));
        });
    }
}

template <isa Level, sixteen_bit_float T, std::size_t Half>
[[gnu::always_inline]] inline void narrow(std::byte* to, strip<Half> const& from) {
    if constexpr (std::same_as<T, float16> && Level == isa::avx512) {
        narrow16(to, from.low);
        narrow16(to + 2 * Half, from.high);
    } else if constexpr (std::same_as<T, float16> && Level == isa::avx2) {
        narrow8(to, from.low);
        narrow8(to + 2 * Half, from.high);
    } else {
        for_each_of<true, Half>([ to, &from ](std::size_t j) __attribute__((always_inline)) {
            std::uint32_t const low = T(from.low[j]).bits();
            std::uint32_t const high = T(from.high[j]).bits();
            store(to + 4 * j, low | high << 16);
        });
    }
}

template <isa Level, class Op, sixteen_bit_float T>
[[gnu::always_inline]] inline void fold_strips(Op const& op, reduction const& r) {
    constexpr std::size_t half = half_strip<Level>;
    constexpr std::size_t strip_bytes = 4 * half;
    folder<Op, float> const f{op, r.finish_size};
    alignas(64) std::byte results[block_bytes];
    auto const blocks = cut::of<sizeof(T)>(r, true);
    std::size_t block = blocks.first;
    for (std::size_t first = 0; first < r.count; first += block, block = blocks.length) {
        block = std::min(block, r.count - first);
        auto* const dst = static_cast<std::byte*>(r.dst) + first * sizeof(T);
        auto* const result = blocks.streamed ? results : dst;
        for (std::size_t done = 0; done < block * sizeof(T); done += strip_bytes) {
            // The last strip is filled up with zeros that nobody looks at.
            std::size_t const bytes = std::min(strip_bytes, block * sizeof(T) - done);
            alignas(64) std::byte filled[strip_bytes];
            strip<half> sum;
            strip<half> next;
            auto const read = [&](strip<half> & to, int k) __attribute__((always_inline)) {
                auto const* from =
                    static_cast<std::byte const*>(r.sources[k]) + first * sizeof(T) + done;
                if (bytes < strip_bytes) {
                    std::memset(filled, 0, sizeof(filled));
                    std::memcpy(filled, from, bytes);
                    from = filled;
                }
                widen<Level, T>(to, from);
                if constexpr (collectives::detail::prepares<Op, float>) {
                    if (r.raw) {
                        for_each_of<f.sure, half>([&](std::size_t j)
                                                      __attribute__((always_inline)) {
                                                          to.low[j] = f.prepared(to.low[j]);
                                                          to.high[j] = f.prepared(to.high[j]);
                                                      });
                    }
                }
            };
            read(sum, 0);
            for (int k = 1; k < r.n; ++k) {
                read(next, k);
                for_each_of<f.sure, half>([&](std::size_t j) __attribute__((always_inline)) {
                    sum.low[j] = f.apply(sum.low[j], next.low[j]);
                    sum.high[j] = f.apply(sum.high[j], next.high[j]);
                });
            }
            if constexpr (collectives::detail::finishes<Op, float>) {
                if (r.finish_size > 0) {
                    for_each_of<f.sure, half>([&](std::size_t j) __attribute__((always_inline)) {
                        sum.low[j] = op.finish(sum.low[j], r.finish_size);
                        sum.high[j] = op.finish(sum.high[j], r.finish_size);
                    });
                }
            }
            narrow<Level, T>(bytes < strip_bytes ? filled : result + done, sum);
            if (bytes < strip_bytes) { std::memcpy(result + done, filled, bytes); }
        }
        if (blocks.streamed) { stream(dst, results, block * sizeof(T)); }
    }
    if (blocks.streamed) { end_stream(); }
}

}  // namespace collectives::host::detail
