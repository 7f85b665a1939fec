// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "communicator.hpp"

namespace python {

void bind_fusion(nb::module_& m);

}  // namespace python
