// SPDX-License-Identifier: BSD-3-Clause
// A few calls of each kind, for the tools that look at each access of memory.
#include "checks.hpp"
#include "few_of_all.hpp"

namespace {

using namespace gpu;

void calls() {
    coll::threads::run(2, [](auto& base) {
        auto comm = coll::cuda::communicator(base, 0);
        cudaStream_t stream = nullptr;
        check(::cudaSetDevice(0), "cudaSetDevice");
        check(::cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
        run_all(comm, stream, 1'001, 1, 3);
        run_all(comm, stream, 64, 0, 4);
        check(::cudaStreamSynchronize(stream), "cudaStreamSynchronize");
        check(::cudaStreamDestroy(stream), "cudaStreamDestroy");
    });
    report("calls of each kind, 2 threads: wrong results", 0, "", '<', 0);
}

/// A kernel writes behind the end of an allocation, within the page that CUDA took for it: whoever
/// looks must see it.
void planted() {
    coll::threads::run(1, [](auto& base) {
        auto comm = coll::cuda::communicator(base, 0);
        void *from = nullptr, *to = nullptr;
        check(::cudaMalloc(&from, 4096), "cudaMalloc");
        check(::cudaMalloc(&to, 256), "cudaMalloc");
        auto& space = coll::cuda::space_of(comm);
        space.copy(static_cast<std::byte*>(to) + 16, from, 256);
        space.drain();
    });
}

}  // namespace

int main(int argc, char** argv) {
    return gpu::run_check(argc, argv, {{"1_calls", calls}, {"planted", planted}});
}
