// SPDX-License-Identifier: BSD-3-Clause
// A bare loop of MPI_Isend, MPI_Irecv and MPI_Test: what the messages of a call take without it.
#pragma once

#include "loop_message.hpp"

#include <memory>
#include <vector>

namespace launched {

class mpi_loop {
public:
    /// Collective over the first `ranks` ranks of the MPI that this program is linked with; it must
    /// have been initialised. `yields`: ranks share cores, so one that waits lets others run.
    mpi_loop(int ranks, std::vector<loop_message> messages, bool yields);

    /// Posts the messages of this rank in their order, and returns once all are done.
    void operator()();

private:
    struct state;
    std::shared_ptr<state> state_;
};

}  // namespace launched
