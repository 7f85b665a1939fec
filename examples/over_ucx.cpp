// SPDX-License-Identifier: BSD-3-Clause
// Ranks that a launcher starts, on one machine or many, and that talk over UCX.
//
//     collrun -n 4 over_ucx                                       on this machine
//     srun -n 4 over_ucx                                          or mpiexec, torchrun
//     UCX_TLS=tcp collrun -n 4 over_ucx                           by one of UCX's transports
#include <collectives/ucx.hpp>

#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace coll = collectives;

int main() {
    auto comm = coll::ucx::join();
    std::vector<int> const mine(1'000, comm.rank());
    std::vector<int> all(mine.size() * static_cast<std::size_t>(comm.size()));
    comm.all_gather(mine, all);
    if (all.front() != 0 || all.back() != comm.size() - 1) {
        throw std::runtime_error("not what the ranks gave");
    }

    if (comm.size() > 1) {  // around a ring, as messages
        std::vector<int> left(1);
        int const to = (comm.rank() + 1) % comm.size();
        int const from = (comm.rank() - 1 + comm.size()) % comm.size();
        comm.send_recv(std::vector{comm.rank()}, to, left, from);
        if (left[0] != from) { throw std::runtime_error("not what the neighbour sent"); }
    }
    if (comm.rank() == 0) { std::printf("%d ranks over UCX\n", comm.size()); }
}
