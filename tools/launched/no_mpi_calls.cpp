// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_calls.hpp"

#include <stdexcept>

namespace launched {

struct mpi_calls::group {};

mpi_calls::mpi_calls(int /*ranks*/) {
    throw std::logic_error("this program was not replaced by that of an MPI");
}
mpi_calls::function mpi_calls::find(mpi_call const& /*c*/) const { return {}; }

}  // namespace launched
