// SPDX-License-Identifier: BSD-3-Clause
// Who started this process, and which program goes on where the launcher of an MPI did.
#include "launched.hpp"

#include <collectives/launch/environment.hpp>
#include <collectives/launch/join.hpp>
#include <collectives/launch/joiners.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace launched {
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

std::string variable_of_launcher() {
    // A batch script of Slurm has the variables of a rank, too, but is in no step.
    for (auto const* const name :
         {"COLLECTIVES_RANK", "WORLD_SIZE", "SLURM_STEP_ID", "OMPI_COMM_WORLD_SIZE",
          "MPI_LOCALNRANKS", "PMIX_RANK", "PMI_RANK"}) {
        if (is_set(name)) { return name; }
    }
    return {};
}

bool by_launcher() { return !variable_of_launcher().empty(); }

void over_any(rank_body const& body) {
    auto comm = collectives::join();  // over shm, and what ucx.cpp adds where it is linked
    body(comm);
}

std::string transport_of_join() {
    using namespace collectives::detail;
    std::vector<joiner> all{{"shm", 0, reach_of_one_machine, nullptr}};
    if (has_ucx()) {
        all.push_back({"ucx", 1, [](auto const&) { return reach::all; }, nullptr});
    }
    auto const* const name = std::getenv("COLLECTIVES_TRANSPORT");
    auto const place = collectives::place_from_environment();
    return chosen_joiner(all, place, name == nullptr ? "" : name).transport;
}

std::string twin_of(std::string_view program, std::string const& mpi) {
    auto const here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    auto const name = fmt::format("{}_{}", program, mpi);
    auto twin = (here / name).string();
    if (::access(twin.c_str(), X_OK) != 0) {
        throw std::runtime_error(fmt::format(
            "{} is not there; it is built where mpicxx.{} is installed: apt-get install {}, then "
            "./dev build --target {}",
            twin, mpi, mpi == "mpich" ? "libmpich-dev" : "libopenmpi-dev", name));
    }
    return twin;
}

void become_program_of_mpi(std::string_view program, char** arguments) {
    auto const mpi = mpi_asked_for();
    if (mpi.empty()) {
        throw std::runtime_error(
            "--transport mpi: no launcher of an MPI started this program; use mpiexec.mpich -n 4 "
            "or mpiexec.openmpi -n 4 before it");
    }
    if (mpi == mpi_of_this_program()) { return; }
    auto const twin = twin_of(program, mpi);
    ::execv(twin.c_str(), arguments);
    throw std::system_error(errno, std::generic_category(), twin);
}

}  // namespace launched
