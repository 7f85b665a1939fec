// SPDX-License-Identifier: BSD-3-Clause
// A communicator of the MPI's own, of the first ranks of its world.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace launched {

struct mpi_group {
    /// Collective over these ranks.
    explicit mpi_group(int size) : ranks(size) {
        std::vector<int> first(static_cast<std::size_t>(size));
        std::iota(first.begin(), first.end(), 0);
        MPI_Group world = MPI_GROUP_NULL, part = MPI_GROUP_NULL;
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Group_incl(world, size, first.data(), &part);
        MPI_Comm_create_group(MPI_COMM_WORLD, part, 0, &comm);
        MPI_Group_free(&part);
        MPI_Group_free(&world);
        if (comm == MPI_COMM_NULL) { throw std::logic_error("this rank is none of the first"); }
        MPI_Comm_rank(comm, &rank);
    }
    mpi_group(mpi_group const&) = delete;
    mpi_group& operator=(mpi_group const&) = delete;
    ~mpi_group() { MPI_Comm_free(&comm); }

    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0, ranks;
};

}  // namespace launched
