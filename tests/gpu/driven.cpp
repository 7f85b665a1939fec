// SPDX-License-Identifier: BSD-3-Clause
// Device-driven calls on one GPU: right, in graphs too, and of processes under MPS. Start it with
// CUDA_DEVICE_MAX_CONNECTIONS=32.
#include "checks.hpp"
#include "few_of_all.hpp"

#include <cstdlib>

namespace {

using namespace gpu;

template <class F>
void on_streams(int size, F const& f) {
    on_threads(
        size,
        [&](auto& comm) {
            cudaStream_t stream = nullptr;
            check(::cudaSetDevice(0), "cudaSetDevice");
            check(::cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
            f(comm, stream);
            check(::cudaStreamSynchronize(stream), "cudaStreamSynchronize");
            check(::cudaStreamDestroy(stream), "cudaStreamDestroy");
        },
        coll::cuda::drive::device);
}

void every_collective() {
    for (int const size : {1, 2, 4, 8}) {
        on_streams(size, [&](auto& comm, cudaStream_t stream) {
            std::size_t salt = 0;
            for (std::size_t const n : {0UL, 1UL, 7UL, 1'000UL, 65'537UL, 3'000'001UL}) {
                run_all(comm, stream, n, salt % 2, salt);
                ++salt;
            }
            auto buffer = comm.template allocate<float>(2'000);
            comm.barrier();
            for (std::size_t i = 0; i < 2'000; ++i) {  // one on the heels of the other
                comm.all_reduce(std::span(buffer.data(), i), coll::max{}, {.stream = stream});
            }
            run_all(comm, stream, 100, 1, 9);
        });
    }
    report("device-driven collectives on 1, 2, 4 and 8 threads: wrong results", 0, "", '<', 0);
}

void graphs() {
    on_streams(4, [&](auto& comm, cudaStream_t stream) {
        std::size_t const n = 4'096;
        auto in = comm.template allocate<std::int64_t>(n);
        auto out = comm.template allocate<std::int64_t>(n);
        comm.barrier();
        auto const call = [&] {
            for (int i = 0; i < 10; ++i) {
                comm.all_reduce(in, out, coll::sum{}, {.stream = stream});
            }
        };
        call();
        check(::cudaStreamSynchronize(stream), "synchronize");
        comm.barrier();
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t ready = nullptr;
        check(::cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
        call();
        check(::cudaStreamEndCapture(stream, &graph), "capture");
        check(::cudaGraphInstantiate(&ready, graph, 0), "cudaGraphInstantiate");
        check(::cudaGraphUpload(ready, stream), "cudaGraphUpload");
        check(::cudaStreamSynchronize(stream), "synchronize");
        comm.barrier();  // nobody waits on the device for one that still prepares
        std::vector<std::int64_t> mine(n), got(n);
        for (std::size_t salt = 0; salt < 1'000; ++salt) {
            bool const looks = salt % 10 == 0;
            if (looks) {
                check(::cudaStreamSynchronize(stream), "synchronize");
                for (std::size_t i = 0; i < n; ++i) { mine[i] = value(comm.rank(), i, salt); }
                check(::cudaMemcpyAsync(in.data(), mine.data(), n * 8, cudaMemcpyDefault, stream),
                      "copy");
            }
            check(::cudaGraphLaunch(ready, stream), "cudaGraphLaunch");
            if (!looks) { continue; }
            check(::cudaStreamSynchronize(stream), "synchronize");
            got = from_device(out.data(), n);
            for (std::size_t i = 0; i < n; ++i) {
                require(got[i] == sum_of(comm.size(), i, salt), "a replay");
            }
        }
        check(::cudaStreamSynchronize(stream), "synchronize");
        comm.barrier();
        auto const replay = seconds(101, [&] {
            check(::cudaGraphLaunch(ready, stream), "cudaGraphLaunch");
            check(::cudaStreamSynchronize(stream), "synchronize");
        });
        comm.barrier();
        auto const eager = seconds(101, [&] {
            call();
            check(::cudaStreamSynchronize(stream), "synchronize");
        });
        comm.barrier();
        check(::cudaGraphExecDestroy(ready), "cudaGraphExecDestroy");
        check(::cudaGraphDestroy(graph), "cudaGraphDestroy");
        if (comm.rank() != 0) { return; }
        report("a graph of ten all_reduces, 4 threads, replayed 1,000 times: wrong results", 0, "",
               '<', 0);
        report("the same: time of a replay over that of ten calls", replay / eager, "", '<', 1.0);
    });
}

/// Ranks that are processes: only under MPS do they run at once, each on a part of the device.
void processes() {
    auto const bytes = std::size_t{256} << 20;
    shared_figure speed, mps;
    coll::shm::run(1, [&](auto&) {
        *speed = copy_speed(std::size_t{1} << 30);
        int is = 0;
        check(::cudaDeviceGetAttribute(&is, cudaDevAttrMpsEnabled, 0), "cudaDevAttrMpsEnabled");
        *mps = is;
    });
    if (*mps == 0) { throw not_here("CUDA does not find the daemon of MPS"); }
    for (int const size : {2, 4}) {
        ::setenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", std::to_string(100 / size).c_str(), 1);
        coll::shm::run(size, [&](auto& base) {
            auto comm = coll::cuda::communicator(base, 0, driven_by(coll::cuda::drive::device));
            cudaStream_t stream = nullptr;
            check(::cudaSetDevice(0), "cudaSetDevice");
            check(::cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
            std::size_t salt = 0;
            for (std::size_t const n : {0UL, 1UL, 1'000UL, 65'537UL, 3'000'001UL}) {
                run_all(comm, stream, n, salt % 2, salt);
                ++salt;
            }
            auto buffer = comm.template allocate<float>(bytes / sizeof(float));
            auto const time = seconds(21, [&] {  // the first calls have the others open the buffer
                comm.all_reduce(buffer, coll::sum{},
                                {.algorithm = coll::two_shot{}, .stream = stream});
                check(::cudaStreamSynchronize(stream), "synchronize");
            });
            comm.barrier();
            check(::cudaStreamDestroy(stream), "cudaStreamDestroy");
            if (comm.rank() != 0) { return; }
            auto const where = std::to_string(size) + " processes under MPS";
            int told = 0;
            check(::cudaDeviceGetAttribute(&told, cudaDevAttrMultiProcessorCount, 0), "attribute");
            control("multiprocessors that CUDA tells each of " + where, told, "");
            report("device-driven collectives, " + where + ": wrong results", 0, "", '<', 0);
            report("device-driven two_shot, " + where + ", 256 MiB: share of B/(2K)",
                   static_cast<double>(bytes) / time * 2 * size / *speed, "", '>', 0.7);
        });
    }
    ::unsetenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
}

}  // namespace

int main(int argc, char** argv) {
    return gpu::run_check(
        argc, argv,
        {{"1_driven", every_collective}, {"2_graphs", graphs}, {"4_processes", processes}});
}
