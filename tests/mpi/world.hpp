// SPDX-License-Identifier: BSD-3-Clause
// The ranks of the MPI job that the test program is part of, and its main program. world.cpp alone
// includes the transport, which takes long to compile.
#pragma once

#include <conformance/world.hpp>

#include <mpi.h>

namespace conformance {

/// Runs what is for as many ranks as there are; the program is launched once for each number.
extern world const over_mpi;
/// The same where ranks share hosts: as COLLECTIVES_RANKS_PER_HOST says, which stands in for more
/// machines than one.
extern world const over_hosts;

/// coll::mpi::communicator(ranks)
coll::communicator communicator_of(MPI_Comm ranks);

/// What main does where an MPI launcher starts the program. The first argument is the number of
/// ranks it was launched with: a launcher of another MPI starts as many programs of one rank each,
/// which must not pass.
int run_launched(int argc, char** argv, int threads = MPI_THREAD_FUNNELED);

}  // namespace conformance
