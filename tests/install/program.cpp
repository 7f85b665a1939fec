// SPDX-License-Identifier: BSD-3-Clause
// The program of the consumer projects: the sum over four ranks, as threads and as processes.
#include <collectives/collectives.hpp>

#include <cstdio>
#include <stdexcept>
#include <vector>

namespace coll = collectives;

static_assert(coll::version == 10'000 * COLLECTIVES_VERSION_MAJOR +
                                   100 * COLLECTIVES_VERSION_MINOR + COLLECTIVES_VERSION_PATCH);

int main() {
    auto const check = [](auto& comm) {
        std::vector<double> values(1000, comm.rank() + 1.0);
        comm.all_reduce(values);
        if (values != std::vector<double>(1000, 10.0)) { throw std::runtime_error("wrong sum"); }
    };
    coll::threads::run(4, check);
    coll::shm::run(4, check);
    std::puts("10");
}
