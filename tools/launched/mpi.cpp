// SPDX-License-Identifier: BSD-3-Clause
#include "launched.hpp"

#include <collectives/mpi.hpp>

#include <fmt/format.h>

#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <string_view>

namespace launched {

std::string mpi_of_this_program() { return LAUNCHED_MPI; }

std::string version_of_mpi() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
    int length = 0;
    MPI_Get_library_version(version.data(), &length);
    std::string_view const text(version.data());
    std::string first(text.substr(0, text.find_first_of(",\n")));
    std::replace(first.begin(), first.end(), '\t', ' ');
    return first;
}

void over_mpi(rank_body const& body, bool bridged, bool one_thread) {
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, one_thread ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE,
                    &level);
    try {
        auto comm = bridged ? collectives::mpi::hierarchical_communicator(MPI_COMM_WORLD)
                            : collectives::mpi::communicator(MPI_COMM_WORLD);
        body(comm);
    } catch (std::exception const& error) {
        fmt::print(stderr, "{}: {}\n", ::program_invocation_short_name, error.what());
        std::fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    ::prctl(PR_SET_NAME, "MPI_Finalize");  // so that who hangs says where
    MPI_Finalize();
}

}  // namespace launched
