// SPDX-License-Identifier: BSD-3-Clause
// Pictures of algorithms.
#pragma once

#include <nanobind/nanobind.h>

namespace python {

void bind_pictures(nanobind::module_& m);

}  // namespace python
