// SPDX-License-Identifier: BSD-3-Clause
// Ranks whose buffers are in the memory of CUDA devices. Programs link CUDA's runtime (and not the
// driver). One source file for nvcc includes <collectives/cuda.cuh>, which brings the kernels.
#pragma once

#include <collectives/collectives.hpp>
#include <collectives/launch/cuda.hpp>
#include <collectives/transport/cuda/runtime.hpp>

#include <utility>

/// Ranks whose buffers are in the memory of CUDA devices.
namespace collectives::inline v0::cuda {

/// A communicator of the ranks of `base` (threads, shm, MPI or UCX, on one machine) for buffers in
/// the memory of devices; `device` is this rank's, as CUDA numbers them in its process; ranks may
/// share one. Collective. `base` is needed no more afterwards.
///
/// No kernel waits for another rank. A blocking call returns when its
/// results are there; a started one goes on in a thread of the communicator's. A call comes after
/// what is on its `.stream` (default: CUDA's default stream).
///
/// Throws on all ranks: transport_error where one has no device, or CUDA refuses something, or
/// there are more than 128 ranks; usage_error for ranks on several machines.
inline collectives::communicator communicator(collectives::communicator& base, int device,
                                              settings with = {runtime_calls::get(), {}}) {
    return communicate(base, device, std::move(with));
}
inline collectives::communicator communicator(collectives::communicator&& base, int device,
                                              settings with = {runtime_calls::get(), {}}) {
    return communicate(base, device, std::move(with));
}

}  // namespace collectives::cuda
