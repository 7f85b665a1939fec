// SPDX-License-Identifier: BSD-3-Clause
// Arrays of 16-bit floats to arrays of float and back, with the machine's own instruction where it
// has one. Its bits are those of float16's conversions (NaN payloads aside).
#pragma once

#include <collectives/core/half.hpp>
#include <collectives/space/elements.hpp>

#include <cstddef>
#include <cstring>

namespace collectives::host::detail {

#if defined(__x86_64__) && !defined(__CUDACC__)

inline constexpr bool may_have_half_instructions = true;

inline bool has_half_instructions() {
    static bool const answer = __builtin_cpu_supports("avx2") != 0;  // all of these have F16C
    return answer;
}

/// Both take a multiple of 8 elements.
[[gnu::target("avx,f16c")]] inline void widen_by_instruction(float* out, std::byte const* in,
                                                             std::size_t count) {
    using eight_halves [[gnu::vector_size(16)]] = short;
    using eight_floats [[gnu::vector_size(32)]] = float;
    for (std::size_t i = 0; i < count; i += 8) {
        eight_halves halves;
        std::memcpy(&halves, in + 2 * i, sizeof(halves));
        eight_floats const floats = __builtin_ia32_vcvtph2ps256(halves);
        std::memcpy(out + i, &floats, sizeof(floats));
    }
}

[[gnu::target("avx,f16c")]] inline void narrow_by_instruction(std::byte* out, float const* in,
                                                              std::size_t count) {
    using eight_halves [[gnu::vector_size(16)]] = short;
    using eight_floats [[gnu::vector_size(32)]] = float;
    for (std::size_t i = 0; i < count; i += 8) {
        eight_floats floats;
        std::memcpy(&floats, in + i, sizeof(floats));
        eight_halves const halves = __builtin_ia32_vcvtps2ph256(floats, 0);  // to nearest even
        std::memcpy(out + 2 * i, &halves, sizeof(halves));
    }
}

#else

inline constexpr bool may_have_half_instructions = false;
inline bool has_half_instructions() { return false; }
inline void widen_by_instruction(float*, std::byte const*, std::size_t) {}
inline void narrow_by_instruction(std::byte*, float const*, std::size_t) {}

#endif

template <sixteen_bit_float T>
void widen(float* out, std::byte const* in, std::size_t count) {
    std::size_t done = 0;
    if constexpr (may_have_half_instructions && std::same_as<T, float16>) {
        if (has_half_instructions()) {
            done = count / 8 * 8;
            widen_by_instruction(out, in, done);
        }
    }
    for_each_index(count - done, [=](std::size_t i) {
        out[done + i] = static_cast<float>(load<T>(in + (done + i) * sizeof(T)));
    });
}

template <sixteen_bit_float T>
void narrow(std::byte* out, float const* in, std::size_t count) {
    std::size_t done = 0;
    if constexpr (may_have_half_instructions && std::same_as<T, float16>) {
        if (has_half_instructions()) {
            done = count / 8 * 8;
            narrow_by_instruction(out, in, done);
        }
    }
    for_each_index(count - done,
                   [=](std::size_t i) { store(out + (done + i) * sizeof(T), T(in[done + i])); });
}

}  // namespace collectives::host::detail
