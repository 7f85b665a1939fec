// SPDX-License-Identifier: BSD-3-Clause
// expect: (constraints not satisfied|no matching (member )?function)
// A started call may not be given a vector that is gone before the call is done.
#include <collectives/collectives.hpp>

#include <vector>

void use(collectives::threads::communicator& comm, std::vector<float>& out) {
    comm.start_all_reduce(std::vector<float>(100), out).wait();
}
