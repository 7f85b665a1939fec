// SPDX-License-Identifier: BSD-3-Clause
// A program of g++ that uses devices: it says clearly what it lacks.
#include <collectives/cuda.hpp>

#include <cstdio>
#include <string>

namespace coll = collectives;

int main() {
    std::printf("%zu kernels\n", coll::cuda::kernels().size());
    try {
        coll::threads::run(2, [](auto& base) {
            auto comm = coll::cuda::communicator(base, 0);
            auto buffer = comm.template allocate<float>(100);
            comm.all_reduce(buffer, coll::sum{}, {.stream = nullptr});
        });
        std::printf("added up on a device\n");
    } catch (coll::transport_error const& e) {
        std::printf("%s\n", e.what());
    } catch (coll::usage_error const& e) { std::printf("%s\n", e.what()); }
}
