// SPDX-License-Identifier: BSD-3-Clause
// Where a model is trained: how quick a worker computes, and what its network costs.
#pragma once

#include "../coll_predict/prices.hpp"

#include <array>
#include <string_view>

namespace coll_scale {

/// Seconds of a round and of a byte, between two workers whose link is full duplex.
struct network {
    std::string_view name;
    coll_predict::prices at;
};

/// A round is half of a round trip through one switch; a byte, 8 bits at the line's rate; a byte
/// added, as coll_predict has it.
inline std::array<network, 4> const networks{{
    {"ethernet1", {50e-6, 0, 8e-9, 0.02e-9}},
    {"ethernet10", {30e-6, 0, 0.8e-9, 0.02e-9}},
    {"ethernet25", {20e-6, 0, 0.32e-9, 0.02e-9}},
    {"infiniband100", {1.5e-6, 0.3e-6, 0.08e-9, 0.02e-9}},
}};

struct cluster {
    coll_predict::prices at = networks[1].at;
    double copy = 0.05e-9;  // seconds of a byte that is packed and unpacked
    double flops = 5e12;    // of a worker, per second: a P100 that trains in single precision
    int batch = 32;         // samples of a step, of each worker
    bool splits = false;    // or of all workers together
};

/// The computation of a step, on one of so many workers.
struct computation {
    double forward = 0, backward = 0;  // seconds

    double seconds() const { return forward + backward; }
};

}  // namespace coll_scale
