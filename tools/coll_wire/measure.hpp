// SPDX-License-Identifier: BSD-3-Clause
// All-reduces between hosts on shaped links: how long they take, and what goes over the links.
#pragma once

#include <collectives/communicator/options.hpp>
#include <collectives/schedule/any_algorithm.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace coll_wire {

namespace coll = collectives;

struct wire {
    int hosts = 2;
    int ranks_per_host = 1;
    double bits_per_second = 200e6;

    int ranks() const { return hosts * ranks_per_host; }
};

struct question {
    coll::any_algorithm algorithm;
    std::size_t bytes = 0;    // of the vector
    std::size_t segment = 0;  // as in coll::options
};

enum class carrier { ucx, mpi };

struct answer {
    question of;
    wire over;
    carrier transport = carrier::ucx;
    int samples = 0;
    double seconds = 0;    // median of the slowest rank's
    double predicted = 0;  // as by wire_model
    double bound = 0;      // no algorithm can be quicker: 2 n (K-1)/K over the payload rate
    double round = 0;      // prices of the prediction, fitted to two all-reduces
    double message = 0;
    /// Of all links in both directions that which differs most from what it should be: bytes
    /// counted by the kernel, and those counted from the steps, with headers; per all-reduce.
    double wired = 0, counted = 0;
    double payload = 0, counted_payload = 0;  // the same without headers and acknowledgements
};

/// Runs the job over UCX and TCP, one process per rank, and returns what it measured. Throws
/// what network and shm::run throw.
std::vector<answer> measure(wire const& over, std::vector<question> const& questions);

}  // namespace coll_wire
