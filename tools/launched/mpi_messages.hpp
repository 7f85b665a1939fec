// SPDX-License-Identifier: BSD-3-Clause
// Messages between the ranks of an MPI, in the patterns of coll_perf's own.
#pragma once

#include "mpi_calls.hpp"
#include "mpi_group.hpp"

#include <mpi.h>

#include <memory>

namespace launched {

/// A call of one of the patterns. It keeps the group.
mpi_calls::function find_messages(std::shared_ptr<mpi_group const> all, MPI_Datatype type,
                                  mpi_call const& c);

}  // namespace launched
