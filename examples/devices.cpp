// SPDX-License-Identifier: BSD-3-Clause
// A sum of vectors in the memory of CUDA devices. devices.cu, for nvcc, brings the kernels. Ends
// with 77 where there is no device.
#include <collectives/cuda.hpp>

#include <cuda_runtime_api.h>

#include <cstdio>
#include <stdexcept>
#include <vector>

namespace coll = collectives;

namespace {

void need(cudaError_t status) {
    if (status != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(status)); }
}

}  // namespace

int main() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::printf("there is no CUDA device\n");
        return 77;
    }
    // Two ranks as threads; coll::shm::run, MPI and UCX do as well. Ranks may share a device.
    coll::threads::run(2, [devices](coll::communicator& ranks) {
        auto comm = coll::cuda::communicator(ranks, ranks.rank() % devices);
        auto data = comm.allocate<float>(1'000'000);  // on the device; or memory of cudaMalloc
        std::vector<float> host(data.size(), static_cast<float>(comm.rank() + 1));
        auto const bytes = host.size() * sizeof(float);
        need(cudaMemcpy(data.data(), host.data(), bytes, cudaMemcpyHostToDevice));

        comm.all_reduce(data);  // 1 + 2

        need(cudaMemcpy(host.data(), data.data(), bytes, cudaMemcpyDeviceToHost));
        if (host != std::vector<float>(host.size(), 3)) { throw std::runtime_error("a wrong sum"); }
        if (comm.rank() == 0) { std::printf("%d ranks, %d devices\n", comm.size(), devices); }
    });
}
