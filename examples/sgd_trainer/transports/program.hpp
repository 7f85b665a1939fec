// SPDX-License-Identifier: BSD-3-Clause
// What differs between the programs that are built of the trainer.
#pragma once

#include <string>

namespace trainer {

/// The MPI that this program is linked with; empty for the one without.
std::string mpi_of_this_program();

}  // namespace trainer
