// SPDX-License-Identifier: BSD-3-Clause
// Ranks on several hosts: memory inside each host, UCX between them.
//
//     collrun -n 4 hosts                                   one host
//     COLLECTIVES_RANKS_PER_HOST=2 collrun -n 4 hosts      this machine as two hosts
#include <collectives/ucx.hpp>

#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace coll = collectives;

int main() {
    auto between = coll::ucx::join();         // the ranks that a launcher started
    auto comm = coll::bridge_hosts(between);  // the same ranks
    std::vector<double> data(1'000'000, comm.rank() + 1);
    comm.all_reduce(data);
    if (data.back() != comm.size() * (comm.size() + 1) / 2.0) {
        throw std::runtime_error("a wrong sum");
    }
    auto const chosen = comm.explain(data.size() * sizeof(double));  // collective
    if (comm.rank() == 0) { std::printf("%s\n", chosen.why.c_str()); }
}
