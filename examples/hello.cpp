// SPDX-License-Identifier: BSD-3-Clause
// Four ranks add up their vectors; afterwards every rank has the sum.
#include <collectives/collectives.hpp>

#include <cstdio>
#include <stdexcept>
#include <vector>

namespace coll = collectives;

int main() {
    coll::threads::run(4, [](coll::communicator& comm) {  // coll::shm::run: four processes
        std::vector<float> data(1000, static_cast<float>(comm.rank() + 1));  // 1, 2, 3, 4
        comm.all_reduce(data);                                               // 1 + 2 + 3 + 4
        std::printf("rank %d of %d has %g\n", comm.rank(), comm.size(), double{data[0]});

        // The same with an operator and an algorithm of your choice:
        comm.all_reduce(data, coll::max{}, {.algorithm = coll::ring{}});
        if (data != std::vector<float>(1000, 10)) { throw std::runtime_error("a wrong sum"); }
    });
}
