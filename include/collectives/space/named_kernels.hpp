// SPDX-License-Identifier: BSD-3-Clause
// Which kernels are compiled once: those of the named operators on the usual types. `linkage` is
// `extern` where they are declared, and nothing in the source that holds them. Who includes this
// file undefines its macros: there is no other way to write one list for both. S and U are a signed
// and an unsigned type: U serves both where `ignores_sign` (levels.hpp).
#pragma once

#define COLLECTIVES_KERNEL(linkage, T, ...) \
    linkage template reducer::reduce_function run_at<__VA_ARGS__, T>(isa);
#define COLLECTIVES_SUM_KERNELS(linkage, T) \
    COLLECTIVES_KERNEL(linkage, T, sum)     \
    COLLECTIVES_KERNEL(linkage, T, product) \
    COLLECTIVES_KERNEL(linkage, T, premultiplied_sum<int>)
#define COLLECTIVES_EXTREME_KERNELS(linkage, T) \
    COLLECTIVES_KERNEL(linkage, T, min)         \
    COLLECTIVES_KERNEL(linkage, T, max)
#define COLLECTIVES_ORDER_KERNELS(linkage, T)   \
    COLLECTIVES_EXTREME_KERNELS(linkage, T)     \
    COLLECTIVES_KERNEL(linkage, T, logical_and) \
    COLLECTIVES_KERNEL(linkage, T, logical_or)
#define COLLECTIVES_COMPLEX_KERNELS(linkage, T) \
    COLLECTIVES_SUM_KERNELS(linkage, T)         \
    COLLECTIVES_KERNEL(linkage, T, average)
#define COLLECTIVES_FLOAT_KERNELS(linkage, T) \
    COLLECTIVES_COMPLEX_KERNELS(linkage, T)   \
    COLLECTIVES_ORDER_KERNELS(linkage, T)
#define COLLECTIVES_BIT_KERNELS(linkage, T) \
    COLLECTIVES_KERNEL(linkage, T, bit_and) \
    COLLECTIVES_KERNEL(linkage, T, bit_or)  \
    COLLECTIVES_KERNEL(linkage, T, bit_xor)
#define COLLECTIVES_INTEGER_KERNELS(linkage, S, U) \
    COLLECTIVES_SUM_KERNELS(linkage, U)            \
    COLLECTIVES_KERNEL(linkage, S, average)        \
    COLLECTIVES_KERNEL(linkage, U, average)        \
    COLLECTIVES_EXTREME_KERNELS(linkage, S)        \
    COLLECTIVES_ORDER_KERNELS(linkage, U)          \
    COLLECTIVES_BIT_KERNELS(linkage, U)
#define COLLECTIVES_BOOL_KERNELS(linkage, T) \
    COLLECTIVES_SUM_KERNELS(linkage, T)      \
    COLLECTIVES_ORDER_KERNELS(linkage, T)    \
    COLLECTIVES_BIT_KERNELS(linkage, T)
