// SPDX-License-Identifier: BSD-3-Clause
// Predicts the best threshold: buckets that start early hide behind the computation, but each has a
// cost to start.
#pragma once

#include <collectives/communicator/options.hpp>
#include <collectives/core/compiled.hpp>
#include <collectives/fusion/bucket_planner.hpp>

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

namespace collectives::inline v0 {

class communicator;

/// A gradient: its shape, and when it is ready, in seconds from the begin of the backward pass. In
/// the order in which they are added, so ascending.
struct ready_tensor {
    tensor_shape shape;  ///< type and number of its elements
    double ready = 0;    ///< seconds
};

/// What a bucket of n bytes takes: alpha + n * beta seconds to reduce, and n * copy to pack and
/// unpack where it holds more than one tensor.
struct fusion_cost {
    double alpha = 0;  ///< seconds per bucket
    double beta = 0;   ///< seconds per byte
    double copy = 0;   ///< seconds per byte that is packed and unpacked
};

/// A step with one threshold.
struct fusion_prediction {
    std::size_t threshold = 0;  ///< bytes
    std::size_t buckets = 0;    ///< how many are sent
    double communication = 0;   ///< seconds of all buckets together
    double finish = 0;          ///< when the last result is there
    double exposed = 0;         ///< how long that is after the last gradient was ready
    /// The communication behind which the rank computed.
    double hidden() const { return communication - exposed; }
};

/// The best threshold, and every one that was tried, ascending.
struct fusion_plan {
    fusion_prediction best;                ///< of the least exposed time
    std::vector<fusion_prediction> tried;  ///< all thresholds
};

/// A step after the first one: each bucket starts when its last tensor is ready and the bucket
/// before it is through. O(tensors).
fusion_prediction predict_fusion(std::span<ready_tensor const> tensors, std::size_t threshold,
                                 fusion_cost const& cost);

/// The threshold with the least exposed time, of 0, 1 KiB and from there in steps of the square
/// root of two up to all bytes; the smallest of equals. O(tensors x log(bytes)).
fusion_plan plan_fusion(std::span<ready_tensor const> tensors, fusion_cost const& cost);

/// Collective. Measures what all-reduces of floats cost on this communicator: the same on all
/// ranks. `longest`: about how long a single one may take. Throws usage_error for a communicator
/// over devices: what is measured is host memory.
fusion_cost measure_fusion_cost(
    communicator& comm, options const& how = {},
    std::chrono::duration<double> longest = std::chrono::milliseconds(50));

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/fusion/plan.ipp>
#endif
