// SPDX-License-Identifier: BSD-3-Clause
// A step of training in which the ranks sleep where they would compute, and really all-reduce.
#pragma once

#include "step.hpp"

namespace coll_scale {

/// Links are those of the cluster, made of this machine's memory by `throttled`; and since it has
/// few cores, all goes in slow motion and with smaller tensors, which leaves the speed-up as it is.
struct replaying {
    bool threads = false;     // ranks are threads, else processes that share memory
    double slow = 10;         // times longer: computation, rounds and bytes
    std::size_t shrink = 64;  // a shrinkth of each tensor, over links of a shrinkth of the rate
    int steps = 1;            // of which the quickest counts, for all that disturbs makes it longer
};

/// The seconds of a step, not in slow motion. Where nothing is fused and nothing overlaps, each
/// tensor is an all_reduce of its own; else they travel by fusion_buffer, one bucket after the
/// other, with a progress thread. Throws what a collective throws, and run_error.
double replay(trainer const& of, coll::any_algorithm a, int workers, way const& w,
              std::size_t threshold, replaying const& how);

}  // namespace coll_scale
