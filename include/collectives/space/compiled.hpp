// SPDX-License-Identifier: BSD-3-Clause
// Kernels that are compiled elsewhere: those of the named operators on the usual types. A program
// that defines COLLECTIVES_COMPILED_KERNELS takes them from the library collectives::kernels, and
// compiles the faster.
#pragma once

#include <collectives/core/half.hpp>
#include <collectives/core/op.hpp>
#include <collectives/space/isa.hpp>
#include <collectives/space/levels.hpp>
#include <collectives/space/reducer.hpp>

#include <complex>
#include <cstdint>

// clang-format off
#define COLLECTIVES_KERNEL(linkage, Op, T) linkage reducer::reduce_function run_at<Op, T>(isa);
#define COLLECTIVES_KERNELS_OF_COMPLEX(linkage, T) \
    COLLECTIVES_KERNEL(linkage, sum, T)            \
    COLLECTIVES_KERNEL(linkage, product, T)        \
    COLLECTIVES_KERNEL(linkage, average, T)        \
    COLLECTIVES_KERNEL(linkage, premultiplied_sum<int>, T)
#define COLLECTIVES_KERNELS_OF_FLOAT(linkage, T)   \
    COLLECTIVES_KERNELS_OF_COMPLEX(linkage, T)     \
    COLLECTIVES_KERNEL(linkage, min, T)            \
    COLLECTIVES_KERNEL(linkage, max, T)            \
    COLLECTIVES_KERNEL(linkage, logical_and, T)    \
    COLLECTIVES_KERNEL(linkage, logical_or, T)
#define COLLECTIVES_KERNELS_OF_INTEGER(linkage, T) \
    COLLECTIVES_KERNELS_OF_FLOAT(linkage, T)       \
    COLLECTIVES_KERNEL(linkage, bit_and, T)        \
    COLLECTIVES_KERNEL(linkage, bit_or, T)         \
    COLLECTIVES_KERNEL(linkage, bit_xor, T)
// clang-format on

namespace collectives::host::detail {

COLLECTIVES_KERNELS_OF_INTEGER(extern template, bool)
COLLECTIVES_KERNELS_OF_INTEGER(extern template, std::int8_t)
COLLECTIVES_KERNELS_OF_INTEGER(extern template, std::uint8_t)
COLLECTIVES_KERNELS_OF_INTEGER(extern template, std::int16_t)
COLLECTIVES_KERNELS_OF_INTEGER(extern template, std::uint16_t)
COLLECTIVES_KERNELS_OF_INTEGER(extern template, std::int32_t)
COLLECTIVES_KERNELS_OF_INTEGER(extern template, std::uint32_t)
COLLECTIVES_KERNELS_OF_INTEGER(extern template, std::int64_t)
COLLECTIVES_KERNELS_OF_INTEGER(extern template, std::uint64_t)
COLLECTIVES_KERNELS_OF_FLOAT(extern template, float16)
COLLECTIVES_KERNELS_OF_FLOAT(extern template, bfloat16)
COLLECTIVES_KERNELS_OF_FLOAT(extern template, float)
COLLECTIVES_KERNELS_OF_FLOAT(extern template, double)
COLLECTIVES_KERNELS_OF_COMPLEX(extern template, std::complex<float>)
COLLECTIVES_KERNELS_OF_COMPLEX(extern template, std::complex<double>)
#ifdef COLLECTIVES_KERNELS_HERE  // a source of that library
COLLECTIVES_KERNELS_HERE
#endif

}  // namespace collectives::host::detail

#undef COLLECTIVES_KERNELS_OF_INTEGER
#undef COLLECTIVES_KERNELS_OF_FLOAT
#undef COLLECTIVES_KERNELS_OF_COMPLEX
#undef COLLECTIVES_KERNEL
