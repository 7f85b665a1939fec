// SPDX-License-Identifier: BSD-3-Clause
// Measures the prices of a communicator's machine, by which `automatic` predicts times.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/core/compiled.hpp>
#include <collectives/select/machine_model.hpp>

namespace collectives::inline v0 {

/// Collective. Measures the prices by which `automatic` chooses on this communicator and those
/// split from it later, and returns them: the same on all ranks. Takes some 20 to 70 ms, twice
/// that where ranks share hosts. Throws usage_error where buffers lie in a device's memory: calls
/// are measured in host memory alone.
machine_model tune(communicator& comm);

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/tune.ipp>
#endif
