// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_calls.hpp"
#include "mpi_loop.hpp"

#include <stdexcept>

namespace launched {

struct mpi_calls::group {};

namespace {
[[noreturn]] void refuse() {
    throw std::logic_error("this program was not replaced by that of an MPI");
}
}  // namespace

mpi_calls::mpi_calls(int /*ranks*/) { refuse(); }
mpi_calls::function mpi_calls::find(mpi_call const& /*c*/) const { return {}; }
bool mpi_calls::test() const { refuse(); }
void mpi_calls::wait() const { refuse(); }

struct mpi_loop::state {};

mpi_loop::mpi_loop(int /*ranks*/, std::vector<loop_message> /*messages*/, bool /*yields*/) {
    refuse();
}
void mpi_loop::operator()() { refuse(); }

}  // namespace launched
