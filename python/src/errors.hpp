// SPDX-License-Identifier: BSD-3-Clause
// The library's errors as Python's.
#pragma once

#include <nanobind/nanobind.h>

namespace python {

/// From now on errors of the library are raised as the classes of collectives._errors.
void translate_errors();

}  // namespace python
