// SPDX-License-Identifier: BSD-3-Clause
// Lets ranks that have a communicator meet over their devices. Needs nothing of CUDA: what is used
// of it is passed in.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/core/compiled.hpp>
#include <collectives/launch/cuda_settings.hpp>

namespace collectives::inline v0::cuda {

class space;

/// The ranks of `base`, which must be on one machine, for buffers in the memory of devices;
/// `device` is this rank's, as CUDA numbers them in its process; ranks may share one. Collective.
/// `base` may go.
///
/// Throws transport_error on all ranks where one has no device or CUDA refuses something,
/// usage_error for ranks on several machines.
collectives::communicator communicate(collectives::communicator& base, int device, settings with);

/// This rank's stream and events, of a communicator that `communicate` made: for measurements.
space& space_of(collectives::communicator const& comm);

}  // namespace collectives::cuda

#ifndef COLLECTIVES_COMPILED
#include <collectives/launch/cuda.ipp>
#endif
