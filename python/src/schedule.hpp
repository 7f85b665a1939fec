// SPDX-License-Identifier: BSD-3-Clause
// Proofs and costs of algorithms, without running them.
#pragma once

#include <collectives/core/types.hpp>

#include <nanobind/nanobind.h>

#include <string_view>

namespace python {

/// By name. Throws usage_error with the names for what is none.
collectives::collective collective_of(std::string_view name);

void bind_schedule(nanobind::module_& m);

}  // namespace python
