// SPDX-License-Identifier: BSD-3-Clause
// A user's program over UCX, run as the only rank of its job.
#include <collectives/ucx.hpp>

#include <cstdio>
#include <vector>

int main() {
    auto comm = collectives::ucx::join();
    std::vector<int> data{10};
    comm.all_reduce(data);
    std::printf("%d\n", data[0]);
}
