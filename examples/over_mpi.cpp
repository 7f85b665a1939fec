// SPDX-License-Identifier: BSD-3-Clause
// The ranks of an MPI job, next to MPI's own calls.
//
//     mpiexec -n 4 over_mpi      by the launcher of the MPI that it was compiled with
#include <collectives/mpi.hpp>

#include <cstdio>
#include <stdexcept>
#include <vector>

namespace coll = collectives;

int main(int argc, char** argv) {
    std::vector<double> data(1'000'000);  // outlives MPI, which may use it after an error
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    {
        auto comm = coll::mpi::communicator(MPI_COMM_WORLD);  // a duplicate
        data.assign(data.size(), comm.rank() + 1);
        comm.all_reduce(data, coll::sum{}, {.algorithm = coll::ring{}});

        double from_mpi = comm.rank() + 1;
        MPI_Allreduce(MPI_IN_PLACE, &from_mpi, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (data.back() != from_mpi) { throw std::runtime_error("MPI has another sum"); }
        if (comm.rank() == 0) { std::printf("%d ranks, sum %g\n", comm.size(), data.back()); }
    }  // the communicator goes before MPI ends
    MPI_Finalize();
}
