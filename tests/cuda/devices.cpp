// SPDX-License-Identifier: BSD-3-Clause
// Memory of devices, mistakes and failures without a GPU, over threads and over processes: one
// program, for each of these is compiled but once.
#include <cuda/suite_kernels.hpp>

#include <cuda/copies_suite.hpp>
#include <cuda/deaths_suite.hpp>
#include <cuda/faults_suite.hpp>
#include <cuda/leaders_suite.hpp>
#include <cuda/memory_suite.hpp>
