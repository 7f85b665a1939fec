// SPDX-License-Identifier: BSD-3-Clause
// Which program goes on where the launcher of an MPI has started this one.
#include "program.hpp"
#include "transports.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace trainer {
namespace {

bool is_set(char const* variable) { return std::getenv(variable) != nullptr; }

/// Also what srun says, which starts programs of any MPI and of none.
std::string mpi_asked_for() {
    if (auto const mpi = mpi_of_launcher(); !mpi.empty()) { return mpi; }
    return is_set("PMIX_RANK") ? "openmpi" : is_set("PMI_RANK") ? "mpich" : "";
}

}  // namespace

std::string mpi_of_launcher() {
    return is_set("OMPI_COMM_WORLD_SIZE") ? "openmpi" : is_set("MPI_LOCALNRANKS") ? "mpich" : "";
}

void become_program_of_mpi(char** arguments) {
    auto const mpi = mpi_asked_for();
    if (mpi.empty()) {
        throw std::runtime_error(
            "--transport mpi: no launcher of an MPI started this program; use mpiexec.mpich -n 4 "
            "or mpiexec.openmpi -n 4 before it");
    }
    if (mpi == mpi_of_this_program()) { return; }
    auto const here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    auto const twin = here / ("sgd_trainer_" + mpi);
    if (::access(twin.c_str(), X_OK) != 0) {
        throw std::runtime_error(fmt::format(
            "--transport mpi: {} is not there; it is built where mpicxx.{} is installed: apt-get "
            "install {}, then ./dev build --target sgd_trainer_{}",
            twin.string(), mpi, mpi == "mpich" ? "libmpich-dev" : "libopenmpi-dev", mpi));
    }
    ::execv(twin.c_str(), arguments);
    throw std::system_error(errno, std::generic_category(), twin.string());
}

}  // namespace trainer
