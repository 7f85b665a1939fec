// SPDX-License-Identifier: BSD-3-Clause
// Speeds on one GPU, whose memory is the limit, against CUDA's own copy in the same run.
#include "checks.hpp"

namespace {

using namespace gpu;

constexpr std::size_t mib = std::size_t{1} << 20;

double speed_of_copy() {
    auto const speed = copy_speed(1024 * mib);
    control("B: CUDA's copy within the device, bytes read and written", speed / 1e9, "GB/s");
    return speed;
}

/// all_reduce of n bytes on each of K ranks reads and writes at least 2Kn bytes of the one memory.
template <class Comm>
double share_of_limit(Comm& comm, std::size_t bytes, coll::any_algorithm algorithm, double speed) {
    auto buffer = comm.template allocate<float>(bytes / sizeof(float));
    auto const time = seconds(21, [&] {
        comm.all_reduce(buffer, coll::sum{},
                        {.algorithm = algorithm, .timeout = std::chrono::seconds(30)});
    });
    comm.barrier();
    auto const limit = speed / (2.0 * comm.size());
    return static_cast<double>(bytes) / time / limit;
}

void threads() {
    auto const speed = speed_of_copy();
    for (int const size : {2, 4, 8}) {
        double share = 0;
        coll::threads::run(size, [&](auto& base) {
            auto comm = coll::cuda::communicator(base, 0);
            auto const mine = share_of_limit(comm, 256 * mib, coll::two_shot{}, speed);
            if (comm.rank() == 0) { share = mine; }
        });
        report("two_shot, " + std::to_string(size) + " threads, 256 MiB: share of B/(2K)", share,
               "", '>', 0.8);
    }
}

/// The other side of the fork measures, and prints.
void processes() {
    double speed = 0;
    coll::shm::run(1, [](auto&) { speed_of_copy(); });
    for (int const size : {2, 4, 8}) {
        coll::shm::run(size, [&](auto& base) {
            auto comm = coll::cuda::communicator(base, 0);
            speed = comm.rank() == 0 ? copy_speed(1024 * mib) : 0;
            comm.barrier();
            auto const share = share_of_limit(comm, 1024 * mib, coll::two_shot{}, speed);
            if (comm.rank() != 0) { return; }
            report("two_shot, " + std::to_string(size) + " processes, 1 GiB: share of B/(2K)",
                   share, "", '>', 0.7);
        });
    }
}

void mapped() {
    coll::shm::run(2, [](auto& base) {
        auto comm = coll::cuda::communicator(base, 0);
        auto const speed = comm.rank() == 0 ? copy_speed(1024 * mib) : 0;
        auto buffer = comm.template allocate<float>(1024 * mib / sizeof(float));
        comm.barrier();
        // One rank copies what the other has mapped: n bytes read, n written.
        auto const time =
            seconds(21, [&] { comm.broadcast(buffer, 0, {.algorithm = coll::star{}}); });
        if (comm.rank() != 0) { return; }
        auto const share = 2.0 * static_cast<double>(1024 * mib) / time / speed;
        report("a kernel's copy of a peer's mapped memory, 1 GiB: share of B", share, "", '>',
               0.95);
    });
}

/// Threads in a process of their own: CUDA is not to be touched here before the next fork.
template <class F>
void on_threads(int size, F const& f) {
    coll::shm::run(1, [&](auto&) {
        coll::threads::run(size, [&](auto& base) {
            auto comm = coll::cuda::communicator(base, 0);
            f(comm);
        });
    });
}

void small() {
    on_threads(1, [](auto& comm) {
        auto& space = comm.transport().space();
        auto a = comm.template allocate<float>(64);
        auto b = comm.template allocate<float>(64);
        control("L: a kernel of no work, started and waited for",
                1e6 * seconds(1'001,
                              [&] {
                                  space.copy(b.data(), a.data(), 256);
                                  space.drain();
                              }),
                "us");
    });
    auto const latency = [](auto& comm, std::string const& where) {
        for (std::size_t const bytes : {std::size_t{4}, std::size_t{4096}, mib}) {
            auto buffer = comm.template allocate<float>(bytes / sizeof(float));
            auto const time = seconds(1'001, [&] { comm.all_reduce(buffer); });
            if (comm.rank() == 0) {
                control(
                    "host-driven all_reduce, " + where + ", " + std::to_string(bytes) + " bytes",
                    1e6 * time, "us");
            }
        }
    };
    for (int const size : {2, 4}) {
        on_threads(size, [&](auto& comm) { latency(comm, std::to_string(size) + " threads"); });
        coll::shm::run(size, [&](auto& base) {
            auto comm = coll::cuda::communicator(base, 0);
            latency(comm, std::to_string(size) + " processes");
        });
    }
}

/// Processes on one device: one rank works for all, in one kernel.
void leaders() {
    for (int const size : {2, 4, 8}) {
        coll::shm::run(size, [&](auto& base) {
            auto comm = coll::cuda::communicator(base, 0);
            require(comm.explain(1024 * mib).algorithm == coll::leaders{size}, "no leader");
            auto const speed = comm.rank() == 0 ? copy_speed(1024 * mib) : 0;
            comm.barrier();
            auto const share = share_of_limit(comm, 1024 * mib, {}, speed);
            if (comm.rank() != 0) { return; }
            report(
                "leader per device, " + std::to_string(size) + " processes, 1 GiB: share of B/(2K)",
                share, "", '>', 0.75);
        });
    }
}

/// Device-driven: small vectors against a launch, large ones against the limit.
void driven() {
    double launch = 0;
    for (int const size : {2, 4, 8}) {
        coll::shm::run(1, [&](auto&) {
            auto const speed = speed_of_copy();
            coll::threads::run(size, [&](auto& base) {
                coll::cuda::settings const how{
                    coll::cuda::runtime_calls::get(), {}, coll::cuda::drive::device};
                auto comm = coll::cuda::communicator(base, 0, how);
                auto& space = comm.transport().space();
                auto a = comm.template allocate<float>(1024), b = comm.template allocate<float>(64);
                if (comm.rank() == 0) {
                    launch = seconds(1'001, [&] {
                        space.copy(b.data(), a.data(), 256);
                        space.drain();
                    });
                }
                comm.barrier();
                cudaStream_t stream = nullptr;
                check(::cudaSetDevice(0), "cudaSetDevice");
                check(::cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
                for (std::size_t const bytes : {std::size_t{4}, std::size_t{4096}}) {
                    auto const some = std::span(a.data(), bytes / sizeof(float));
                    auto const time = seconds(1'001, [&] {
                        comm.all_reduce(some, coll::sum{}, {.stream = stream});
                        check(::cudaStreamSynchronize(stream), "synchronize");
                    });
                    comm.barrier();
                    if (comm.rank() != 0) { continue; }
                    report("device-driven all_reduce, " + std::to_string(size) + " threads, " +
                               std::to_string(bytes) + " bytes",
                           1e6 * time, "us", '<', std::max(10.0, 3e6 * launch));
                }
                check(::cudaStreamDestroy(stream), "cudaStreamDestroy");
                auto const share = share_of_limit(comm, 256 * mib, coll::two_shot{}, speed);
                if (comm.rank() == 0) {
                    report("device-driven two_shot, " + std::to_string(size) +
                               " threads, 256 MiB: share of B/(2K)",
                           share, "", '>', 0.8);
                }
            });
        });
    }
}

/// `automatic` against the best algorithm that is named, at each size.
template <class Comm>
void choice_of(Comm& comm, std::string const& where) {
    double worst = 10;
    for (std::size_t const bytes : {1024 * mib / 1048576, mib / 16, mib, 16 * mib, 256 * mib}) {
        auto buffer = comm.template allocate<float>(bytes / sizeof(float));
        auto const time_of = [&](coll::any_algorithm a) {
            auto const time = seconds(bytes < mib ? 51 : 11, [&] {
                comm.all_reduce(buffer, coll::sum{},
                                {.algorithm = a, .timeout = std::chrono::seconds(30)});
            });
            comm.barrier();
            return time;
        };
        double best = 1e9;
        for (coll::any_algorithm const a :
             {coll::any_algorithm(coll::one_shot{}), coll::any_algorithm(coll::two_shot{}),
              coll::any_algorithm(coll::ring{}), coll::any_algorithm(coll::leaders{comm.size()})}) {
            best = std::min(best, time_of(a));
        }
        worst = std::min(worst, best / time_of({}));
    }
    if (comm.rank() == 0) {
        report("automatic's speed over the best algorithm's, worst size, " + where, worst, "", '>',
               0.9);
    }
}
void choice() {
    on_threads(4, [](auto& comm) { choice_of(comm, "4 threads"); });
    coll::shm::run(4, [](auto& base) {
        auto comm = coll::cuda::communicator(base, 0);
        choice_of(comm, "4 processes");
    });
}

/// What others are compared with: seconds of one all_reduce of as many bytes, over processes.
void for_peers() {
    for (int const size : {2, 4}) {
        coll::shm::run(size, [&](auto& base) {
            auto comm = coll::cuda::communicator(base, 0);
            for (std::size_t bytes = 1024; bytes <= 1024 * mib; bytes *= 32) {
                auto buffer = comm.template allocate<float>(bytes / sizeof(float));
                auto const time = seconds(bytes < 16 * mib ? 101 : 11, [&] {
                    comm.all_reduce(buffer, coll::sum{}, {.timeout = std::chrono::seconds(30)});
                });
                comm.barrier();
                if (comm.rank() == 0) {
                    control("ours, " + std::to_string(size) + " processes, " +
                                std::to_string(bytes) + " bytes",
                            1e6 * time, "us");
                }
            }
        });
    }
}

void movement() {
    auto const speed = speed_of_copy();
    for (int const size : {2, 4, 8}) {
        coll::threads::run(size, [&](auto& base) {
            auto comm = coll::cuda::communicator(base, 0);
            auto const k = static_cast<double>(size);
            std::size_t const bytes = 256 * mib;
            auto whole = comm.template allocate<float>(bytes / sizeof(float));
            auto const share = coll::block(whole.size(), size, comm.rank());
            auto block =
                comm.template allocate<float>(whole.size() / static_cast<std::size_t>(size));
            auto const told = [&](char const* what, double traffic, auto const& call) {
                auto const time = seconds(21, call);
                comm.barrier();
                if (comm.rank() != 0) { return; }
                report(std::string(what) + ", " + std::to_string(size) + " threads: share of B",
                       traffic / time / speed, "", '>', 0.75);
            };
            auto const n = static_cast<double>(bytes);
            told("all_gather", n / k * (k + k * k), [&] {
                comm.all_gather(std::span(block.data(), share.size), whole,
                                {.algorithm = coll::one_shot{}});
            });
            told("reduce_scatter", (k + 1) * n, [&] {
                comm.reduce_scatter(whole, std::span(block.data(), share.size), coll::sum{},
                                    {.algorithm = coll::one_shot{}});
            });
            told("broadcast", k * n,
                 [&] { comm.broadcast(whole, 0, {.algorithm = coll::star{}}); });
        });
    }
}

}  // namespace

int main(int argc, char** argv) {
    return gpu::run_check(argc, argv,
                          {{"1_threads", threads},
                           {"2_movement", movement},
                           {"3_processes", processes},
                           {"4_mapped", mapped},
                           {"5_small", small},
                           {"6_leaders", leaders},
                           {"7_driven", driven},
                           {"8_choice", choice},
                           {"9_peers", for_peers}});
}
