// SPDX-License-Identifier: BSD-3-Clause
// All-reduces over MPI between hosts: a program of its own, started by MPICH's launcher.
#pragma once

#include "measure.hpp"

#include <string>
#include <vector>

namespace coll_wire {

/// As `measure`, but by bench/wire_mpi/rank.cpp, compiled into `program`: one rank per host, MPICH
/// over UCX and TCP. Throws std::runtime_error with what the launcher said.
std::vector<answer> measure_mpi(wire const& over, std::vector<question> const& questions,
                                std::string const& program);

}  // namespace coll_wire
