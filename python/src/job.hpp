// SPDX-License-Identifier: BSD-3-Clause
// How this process becomes a rank, and how it leaves.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/launch/environment.hpp>
#include <collectives/launch/joiner.hpp>

#include <nanobind/nanobind.h>

#include <optional>

namespace python {

namespace coll = collectives;

void bind_job(nanobind::module_& m);

/// Joins ranks on several hosts: through memory inside a host, over UCX between hosts. None where
/// the module was built without UCX.
std::optional<coll::detail::joiner> joiner_over_hosts();

}  // namespace python
