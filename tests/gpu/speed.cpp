// SPDX-License-Identifier: BSD-3-Clause
// Speeds on one GPU, whose memory is the limit, against CUDA's own copy in the same run.
#include "checks.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

namespace {

using namespace gpu;

double speed_of_copy() {
    auto const speed = copy_speed(1024 * mib);
    control("B: CUDA's copy within the device, bytes read and written", speed / 1e9, "GB/s");
    return speed;
}

/// all_reduce of n bytes on each of K ranks reads and writes at least 2Kn bytes of the one memory.
template <class Comm>
double share_of_limit(Comm& comm, std::size_t bytes, coll::any_algorithm algorithm, double speed) {
    auto buffer = comm.template allocate<float>(bytes / sizeof(float));
    auto const call = [&] {
        comm.all_reduce(buffer, coll::sum{},
                        {.algorithm = algorithm, .timeout = std::chrono::seconds(30)});
    };
    fill_with_bytes(buffer.data(), buffer.size(), comm.rank());
    comm.barrier();
    call();
    expect_sum_of_bytes(buffer.data(), buffer.size(), comm.size());
    comm.barrier();
    auto const time = seconds(21, call);
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

/// One rank copies what the other has mapped: n bytes read, n written. By the library's kernel, or
/// by CUDA's own copy, which is the control.
void copy_mapped(bool own) {
    coll::shm::run(2, [own](auto& base) {
        if (!own) { coll::cuda::kernels().add(coll::copy_function{}); }
        auto comm = coll::cuda::communicator(base, 0);
        auto const speed = comm.rank() == 0 ? copy_speed(1024 * mib) : 0;
        auto buffer = comm.template allocate<float>(1024 * mib / sizeof(float));
        comm.barrier();
        auto const time_of = [&](auto some) {
            return seconds(21, [&] { comm.broadcast(some, 0, {.algorithm = coll::star{}}); });
        };
        auto const all = std::span(buffer.data(), buffer.size());
        auto const time = time_of(all), call = time_of(all.first(1));
        if (comm.rank() != 0) { return; }
        auto const share = 2.0 * static_cast<double>(1024 * mib) / speed;
        std::string const what = own ? "a kernel's copy" : "CUDA's own copy";
        auto const where = what + " of a peer's mapped memory, 1 GiB: share of B";
        if (own) {
            report(where, share / time, "", '>', 0.95);
        } else {
            control(where, share / time, "");
        }
        control(what + ", without what a call of one element takes", share / (time - call), "");
    });
}
void mapped() {
    copy_mapped(true);
    copy_mapped(false);
}

void small() {
    on_threads(1, [](auto& comm) {
        auto& space = coll::cuda::space_of(comm);
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
                control("all_reduce, " + where + ", " + std::to_string(bytes) + " bytes",
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

/// Traffic of the one memory: all_gather reads K blocks and writes K of each, reduce_scatter reads
/// K vectors and writes one, broadcast reads one and writes the others.
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
            auto const mine = std::span(block.data(), share.size);
            fill_with_bytes(whole.data(), whole.size(), comm.rank());
            fill_with_bytes(block.data(), block.size(), comm.rank());
            comm.barrier();
            // `call` takes a vector and a block of it, whole ones or a few elements.
            auto const told = [&](char const* what, double traffic, auto const& call) {
                auto const time = seconds(21, [&] { call(std::span(whole), mine); });
                comm.barrier();
                auto const few = std::span(whole).first(static_cast<std::size_t>(size));
                auto const least = seconds(101, [&] { call(few, mine.first(1)); });
                comm.barrier();
                if (comm.rank() != 0) { return; }
                auto const name = std::string(what) + ", " + std::to_string(size) + " threads";
                report(name + ": share of B", traffic / time / speed, "", '>', 0.75);
                control(name + ": without what a call of an element each takes",
                        traffic / (time - least) / speed, "");
            };
            coll::options const how{.algorithm = coll::one_shot{}};
            auto const n = static_cast<double>(bytes);
            told("all_gather", (k + 1) * n,
                 [&](auto all, auto part) { comm.all_gather(part, all, how); });
            told("reduce_scatter", (k + 1) * n,
                 [&](auto all, auto part) { comm.reduce_scatter(all, part, coll::sum{}, how); });
            told("broadcast", k * n, [&](auto all, auto) { comm.broadcast(all, 0, how); });
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
                           {"6_leaders", leaders}});
}
