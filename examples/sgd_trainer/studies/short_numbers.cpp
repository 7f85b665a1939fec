// SPDX-License-Identifier: BSD-3-Clause
#include "short_numbers.hpp"

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace trainer::studies {
namespace {

template <class Number>
[[gnu::always_inline]] inline void widen_each(float* to, Number const* from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) { to[i] = static_cast<float>(from[i]); }
}
template <class Number>
[[gnu::always_inline]] inline void narrow_each(Number* to, float const* from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) { to[i] = static_cast<Number>(from[i]); }
}

#if defined(__x86_64__)

bool has_f16c() {  // which clang 16 does not ask by name
    static bool const has = [] {
        unsigned a = 0, b = 0, c = 0, d = 0;
        return __builtin_cpu_supports("avx") != 0 && __get_cpuid(1, &a, &b, &c, &d) != 0 &&
               (c & bit_F16C) != 0;
    }();
    return has;
}
bool has_avx2() {
    static bool const has = __builtin_cpu_supports("avx2") != 0;
    return has;
}

/// Eight at once; gives how many it did.
__attribute__((target("avx,f16c"))) std::size_t widen_eights(float* to, float16 const* from,
                                                             std::size_t count) {
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        auto const eight = _mm_loadu_si128(reinterpret_cast<__m128i const*>(from + i));
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(eight));
    }
    return i;
}
__attribute__((target("avx,f16c"))) std::size_t narrow_eights(float16* to, float const* from,
                                                              std::size_t count) {
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        auto const eight = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), eight);
    }
    return i;
}
__attribute__((target("avx2"))) void widen_by_avx2(float* to, bfloat16 const* from,
                                                   std::size_t count) {
    widen_each(to, from, count);
}
__attribute__((target("avx2"))) void narrow_by_avx2(bfloat16* to, float const* from,
                                                    std::size_t count) {
    narrow_each(to, from, count);
}

#else

bool has_f16c() { return false; }
bool has_avx2() { return false; }
std::size_t widen_eights(float*, float16 const*, std::size_t) { return 0; }
std::size_t narrow_eights(float16*, float const*, std::size_t) { return 0; }
void widen_by_avx2(float* to, bfloat16 const* from, std::size_t count) {
    widen_each(to, from, count);
}
void narrow_by_avx2(bfloat16* to, float const* from, std::size_t count) {
    narrow_each(to, from, count);
}

#endif

}  // namespace

void widen(float* to, float16 const* from, std::size_t count) {
    auto const done = has_f16c() ? widen_eights(to, from, count) : 0;
    widen_each(to + done, from + done, count - done);
}
void widen(float* to, bfloat16 const* from, std::size_t count) {
    has_avx2() ? widen_by_avx2(to, from, count) : widen_each(to, from, count);
}
void widen(float* to, float const* from, std::size_t count) { std::copy_n(from, count, to); }

void narrow(float16* to, float const* from, std::size_t count) {
    auto const done = has_f16c() ? narrow_eights(to, from, count) : 0;
    narrow_each(to + done, from + done, count - done);
}
void narrow(bfloat16* to, float const* from, std::size_t count) {
    has_avx2() ? narrow_by_avx2(to, from, count) : narrow_each(to, from, count);
}
void narrow(float* to, float const* from, std::size_t count) { std::copy_n(from, count, to); }

char const* conversion_of_float16() {
    return has_f16c() ? "the processor's instructions (F16C)" : "the library's own arithmetic";
}

}  // namespace trainer::studies
