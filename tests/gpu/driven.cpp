// SPDX-License-Identifier: BSD-3-Clause
// Device-driven calls on one GPU: right, in graphs too; and a few of everything for the tools that
// look at each access of memory. Start it with CUDA_DEVICE_MAX_CONNECTIONS=32.
#include "checks.hpp"

#include <sys/mman.h>

#include <cstdlib>

namespace {

using namespace gpu;

constexpr coll::cuda::drive by_device = coll::cuda::drive::device;

/// Threads in a process of their own: CUDA is not to be touched here before the next fork.
template <class F>
void on_threads(int size, coll::cuda::drive drive, F const& f) {
    coll::shm::run(1, [&](auto&) {
        coll::threads::run(size, [&](auto& base) {
            auto comm =
                coll::cuda::communicator(base, 0, {coll::cuda::runtime_calls::get(), {}, drive});
            cudaStream_t stream = nullptr;
            check(::cudaSetDevice(0), "cudaSetDevice");
            check(::cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
            f(comm, stream);
            check(::cudaStreamSynchronize(stream), "cudaStreamSynchronize");
            check(::cudaStreamDestroy(stream), "cudaStreamDestroy");
        });
    });
}

std::int64_t value(int rank, std::size_t i, std::size_t salt) {
    return static_cast<std::int64_t>((i * 7919 + salt * 104729) % 10007) * (rank + 1);
}
std::int64_t sum_of(int size, std::size_t i, std::size_t salt) {
    return value(0, i, salt) * size * (size + 1) / 2;
}

/// Every device-driven collective on n elements, `odd` elements behind the start of an allocation.
template <class Comm>
void run_all(Comm& comm, cudaStream_t stream, std::size_t n, std::size_t odd, std::size_t salt) {
    auto const size = comm.size(), me = comm.rank();
    auto a = comm.template allocate<std::int64_t>(n + odd + 1);
    auto b = comm.template allocate<std::int64_t>(n + odd + 1);
    auto const in = std::span(a.data() + odd, n), out = std::span(b.data() + odd, n);
    auto const own = coll::block(n, size, me);
    auto const block = out.subspan(own.first, own.size);
    std::vector<std::int64_t> mine(n), got(n);
    for (std::size_t i = 0; i < n; ++i) { mine[i] = value(me, i, salt); }
    auto const put = [&] {
        check(::cudaMemcpyAsync(in.data(), mine.data(), n * 8, cudaMemcpyDefault, stream), "copy");
    };
    auto const expect = [&](auto from, std::size_t first, char const* what) {
        check(
            ::cudaMemcpyAsync(got.data(), from.data(), from.size() * 8, cudaMemcpyDefault, stream),
            "copy");
        check(::cudaStreamSynchronize(stream), "synchronize");
        for (std::size_t i = 0; i < from.size(); ++i) {
            require(got[i] == sum_of(size, first + i, salt), std::string(what) + ": element " +
                                                                 std::to_string(first + i) +
                                                                 " of " + std::to_string(n));
        }
    };
    for (coll::any_algorithm const algorithm :
         {coll::any_algorithm(coll::one_shot{}), coll::any_algorithm(coll::two_shot{})}) {
        coll::options const how{.algorithm = algorithm, .stream = stream};
        put();
        comm.all_reduce(in, out, coll::sum{}, how);
        expect(out, 0, "all_reduce");
        comm.all_reduce(in, coll::sum{}, how);
        expect(in, 0, "all_reduce in place");
        put();
        comm.reduce_scatter(in, block, coll::sum{}, how);
        expect(block, own.first, "reduce_scatter");
        comm.all_gather(block, out, how);
        expect(out, 0, "all_gather");
    }
    int const root = static_cast<int>(salt) % size;
    put();
    comm.reduce(in, out, coll::sum{}, root, {.stream = stream});
    if (me == root) { expect(out, 0, "reduce"); }
    comm.broadcast(out, root, {.stream = stream});
    expect(out, 0, "broadcast");
    comm.barrier();
}

void every_collective() {
    for (int const size : {1, 2, 4, 8}) {
        on_threads(size, by_device, [&](auto& comm, cudaStream_t stream) {
            std::size_t salt = 0;
            for (std::size_t const n : {0UL, 1UL, 7UL, 1'000UL, 65'537UL, 3'000'001UL}) {
                run_all(comm, stream, n, salt % 2, salt);
                ++salt;
            }
            auto buffer = comm.template allocate<float>(2'000);
            for (std::size_t i = 0; i < 2'000; ++i) {  // one on the heels of the other
                comm.all_reduce(std::span(buffer.data(), i), coll::max{}, {.stream = stream});
            }
            run_all(comm, stream, 100, 1, 9);
        });
    }
    report("device-driven collectives on 1, 2, 4 and 8 threads: wrong results", 0, "", '<', 0);
}

void graphs() {
    on_threads(4, by_device, [&](auto& comm, cudaStream_t stream) {
        std::size_t const n = 4'096;
        auto in = comm.template allocate<std::int64_t>(n);
        auto out = comm.template allocate<std::int64_t>(n);
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
        std::vector<std::int64_t> mine(n), got(n);
        for (std::size_t salt = 0; salt < 1'000; ++salt) {
            bool const looks = salt % 100 == 0;
            if (looks) {
                for (std::size_t i = 0; i < n; ++i) { mine[i] = value(comm.rank(), i, salt); }
                to_device(in.data(), mine);
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
    auto* const speed = static_cast<double*>(
        ::mmap(nullptr, sizeof(double), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    require(speed != MAP_FAILED, "mmap");
    coll::shm::run(1, [&](auto&) { *speed = copy_speed(std::size_t{1} << 30); });
    for (int const size : {2, 4}) {
        ::setenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", std::to_string(100 / size).c_str(), 1);
        coll::shm::run(size, [&](auto& base) {
            auto comm = coll::cuda::communicator(base, 0,
                                                 {coll::cuda::runtime_calls::get(), {}, by_device});
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
            report("device-driven collectives, " + where + ": wrong results", 0, "", '<', 0);
            report("device-driven two_shot, " + where + ", 256 MiB: share of B/(2K)",
                   static_cast<double>(bytes) / time * 2 * size / *speed, "", '>', 0.7);
        });
    }
    ::unsetenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
    ::munmap(speed, sizeof(double));
}

/// Little work, for the tools make it slow.
void sanitized() {
    for (auto const drive : {coll::cuda::drive::host, by_device}) {
        on_threads(2, drive, [](auto& comm, cudaStream_t stream) {
            run_all(comm, stream, 1'001, 1, 3);
            run_all(comm, stream, 64, 0, 4);
        });
    }
    report("calls of each kind on two threads: wrong results", 0, "", '<', 0);
}

}  // namespace

int main(int argc, char** argv) {
    return gpu::run_check(argc, argv,
                          {{"1_driven", every_collective},
                           {"2_graphs", graphs},
                           {"3_sanitized", sanitized},
                           {"4_processes", processes}});
}
