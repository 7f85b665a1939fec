// SPDX-License-Identifier: BSD-3-Clause
// The definitions of core/isa.hpp.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/isa.hpp>
#include <collectives/core/text.hpp>

#include <cstdlib>

namespace collectives::inline v0::host {

COLLECTIVES_INLINE bool supports(isa level) {
#if defined(__x86_64__) && !defined(__NVCC__)
    __builtin_cpu_init();
    bool const avx2 = __builtin_cpu_supports("avx2") != 0;  // all of these have F16C too
    bool const avx512 =
        __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
        __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0;
    return level == isa::portable || (avx2 && (level == isa::avx2 || avx512));
#else
    return level == isa::portable;
#endif
}

namespace detail {

/// Whether 512-bit instructions do not slow the processor down. The first processors that had them
/// lower their clock for everything else too; those with VBMI2 and later do not.
inline bool avx512_pays() {
#if defined(__x86_64__) && !defined(__NVCC__)
    return supports(isa::avx512) && __builtin_cpu_supports("avx512vbmi2") != 0;
#else
    return false;
#endif
}

/// The level that COLLECTIVES_ISA names, else the best level that pays. Throws usage_error if it
/// names no level, or one that this processor does not have.
[[gnu::cold]] inline isa asked_or_best_isa() {
    auto const* const text = std::getenv("COLLECTIVES_ISA");
    if (text == nullptr || *text == '\0') {
        return avx512_pays() ? isa::avx512 : supports(isa::avx2) ? isa::avx2 : isa::portable;
    }
    for (isa const level : {isa::portable, isa::avx2, isa::avx512}) {
        if (text != isa_name(level)) { continue; }
        if (supports(level)) { return level; }
        throw_error<usage_error>("COLLECTIVES_ISA is ", text,
                                 ", which this processor or compiler lacks");
    }
    throw_error<usage_error>("COLLECTIVES_ISA is '", text,
                             "'; there are portable, avx2 and avx512");
}

[[gnu::cold]] COLLECTIVES_INLINE isa choose_isa() {
    auto const level = asked_or_best_isa();
    chosen_isa.store(level, std::memory_order::relaxed);
    return level;
}

}  // namespace detail

}  // namespace collectives::host
