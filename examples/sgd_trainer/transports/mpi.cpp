// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"
#include "transports.hpp"

#include <collectives/mpi.hpp>
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <exception>
#include <string_view>

namespace trainer {

std::string mpi_of_this_program() { return TRAINER_MPI; }

void over_mpi(rank_body const& body) {
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
    try {
        auto comm = collectives::mpi::communicator(MPI_COMM_WORLD);
        if (comm.rank() == 0) {
            std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
            int length = 0;
            MPI_Get_library_version(version.data(), &length);
            std::string_view const text(version.data());
            fmt::print("{} ranks over {}\n", comm.size(),
                       text.substr(0, text.find_first_of(",\n")));
        }
        body(comm);
    } catch (std::exception const& error) {
        fmt::print(stderr, "sgd_trainer: {}\n", error.what());
        std::fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
}

}  // namespace trainer
