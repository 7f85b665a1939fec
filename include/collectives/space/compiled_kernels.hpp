// SPDX-License-Identifier: BSD-3-Clause
// Says that the kernels of the named operators on the usual types are compiled elsewhere.
#pragma once

#include <collectives/core/narrow_float.hpp>
#include <collectives/core/op.hpp>
#include <collectives/space/levels.hpp>
#include <collectives/space/named_kernels.hpp>
#include <collectives/space/reducer.hpp>

#include <complex>
#include <cstdint>

namespace collectives::inline v0::host::detail {

COLLECTIVES_COMPLEX_KERNELS(extern, std::complex<float>)
COLLECTIVES_COMPLEX_KERNELS(extern, std::complex<double>)
COLLECTIVES_FLOAT_KERNELS(extern, float16)
COLLECTIVES_FLOAT_KERNELS(extern, bfloat16)
COLLECTIVES_FLOAT_KERNELS(extern, float8_e4m3)
COLLECTIVES_FLOAT_KERNELS(extern, float8_e5m2)
COLLECTIVES_FLOAT_KERNELS(extern, float)
COLLECTIVES_FLOAT_KERNELS(extern, double)
COLLECTIVES_BOOL_KERNELS(extern, bool)
COLLECTIVES_INTEGER_KERNELS(extern, std::int8_t, std::uint8_t)
COLLECTIVES_INTEGER_KERNELS(extern, std::int16_t, std::uint16_t)
COLLECTIVES_INTEGER_KERNELS(extern, std::int32_t, std::uint32_t)
COLLECTIVES_INTEGER_KERNELS(extern, std::int64_t, std::uint64_t)

}  // namespace collectives::host::detail

#ifndef COLLECTIVES_COMPILING  // the library's own sources go on with them
#undef COLLECTIVES_BOOL_KERNELS
#undef COLLECTIVES_INTEGER_KERNELS
#undef COLLECTIVES_FLOAT_KERNELS
#undef COLLECTIVES_COMPLEX_KERNELS
#undef COLLECTIVES_BIT_KERNELS
#undef COLLECTIVES_ORDER_KERNELS
#undef COLLECTIVES_EXTREME_KERNELS
#undef COLLECTIVES_SUM_KERNELS
#undef COLLECTIVES_KERNEL
#endif
