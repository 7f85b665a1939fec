// SPDX-License-Identifier: BSD-3-Clause
// A few calls of each kind, for the tools that look at each access of memory. These may hold up a
// kernel until another is through: only in the last do kernels wait for each other.
#include "checks.hpp"
#include "few_of_all.hpp"

namespace {

using namespace gpu;

void calls_by(coll::cuda::drive drive, int size, std::string const& what) {
    coll::threads::run(size, [&](auto& base) {
        auto comm = coll::cuda::communicator(base, 0, driven_by(drive));
        cudaStream_t stream = nullptr;
        check(::cudaSetDevice(0), "cudaSetDevice");
        check(::cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
        run_all(comm, stream, 1'001, 1, 3);
        run_all(comm, stream, 64, 0, 4);
        check(::cudaStreamSynchronize(stream), "cudaStreamSynchronize");
        check(::cudaStreamDestroy(stream), "cudaStreamDestroy");
    });
    report("calls of each kind, " + what + ": wrong results", 0, "", '<', 0);
}
void by_host() { calls_by(coll::cuda::drive::host, 2, "host-driven, 2 threads"); }
void alone() { calls_by(coll::cuda::drive::device, 1, "device-driven, 1 thread"); }
void together() { calls_by(coll::cuda::drive::device, 2, "device-driven, 2 threads"); }

/// A kernel writes behind the end of an allocation, within the page that CUDA took for it: whoever
/// looks must see it.
void planted() {
    coll::threads::run(1, [](auto& base) {
        auto comm = coll::cuda::communicator(base, 0);
        void *from = nullptr, *to = nullptr;
        check(::cudaMalloc(&from, 4096), "cudaMalloc");
        check(::cudaMalloc(&to, 256), "cudaMalloc");
        auto& space = comm.transport().space();
        space.copy(static_cast<std::byte*>(to) + 16, from, 256);
        space.drain();
    });
}

}  // namespace

int main(int argc, char** argv) {
    return gpu::run_check(
        argc, argv,
        {{"1_host", by_host}, {"2_alone", alone}, {"3_together", together}, {"planted", planted}});
}
