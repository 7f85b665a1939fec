// SPDX-License-Identifier: BSD-3-Clause
// Many 16-bit numbers to floats and back, by the instructions that the processor has.
#pragma once

#include <collectives/core/narrow_float.hpp>

#include <cstddef>

namespace trainer::studies {

using collectives::bfloat16;
using collectives::float16;

void widen(float* to, float16 const* from, std::size_t count);
void widen(float* to, bfloat16 const* from, std::size_t count);
void widen(float* to, float const* from, std::size_t count);

/// Rounds to the nearest, to even where two are as near.
void narrow(float16* to, float const* from, std::size_t count);
void narrow(bfloat16* to, float const* from, std::size_t count);
void narrow(float* to, float const* from, std::size_t count);

/// How float16 is converted here, for a report.
char const* conversion_of_float16();

}  // namespace trainer::studies
