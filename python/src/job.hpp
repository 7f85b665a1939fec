// SPDX-License-Identifier: BSD-3-Clause
// How this process becomes a rank, and how it leaves.
#pragma once

#include <nanobind/nanobind.h>

namespace python {

void bind_job(nanobind::module_& m);

}  // namespace python
