// SPDX-License-Identifier: BSD-3-Clause
// On a GPU: how ranks keep their order, calls that go on by themselves, floats against a reference,
// what mappings are left, and the largest vectors. Figures are of K ranks sharing one GPU.
#include "checks.hpp"

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

namespace {

using namespace gpu;
using ordering = coll::cuda::ordering;

template <class F>
void on_processes(int size, F const& f, std::optional<ordering> order = {}) {
    coll::shm::run(size, [&](auto& base) {
        auto comm = coll::cuda::communicator(base, 0, {coll::cuda::runtime_calls::get(), order});
        f(comm);
    });
}

double now() {
    return std::chrono::duration<double>(coll::steady::now().time_since_epoch()).count();
}

/// Sums of small numbers, in place; true if all are right.
template <class Comm>
bool adds_up(Comm& comm, std::size_t n, coll::any_algorithm algorithm) {
    auto buffer = comm.template allocate<std::uint32_t>(n);
    std::vector<std::uint32_t> mine(n);
    for (std::size_t i = 0; i < n; ++i) {
        mine[i] = static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(comm.rank());
    }
    to_device(buffer.data(), mine);
    comm.all_reduce(buffer, coll::sum{}, {.algorithm = algorithm});
    auto const got = from_device(buffer.data(), n);
    auto const k = static_cast<std::uint32_t>(comm.size());
    for (std::size_t i = 0; i < n; ++i) {
        if (got[i] != k * static_cast<std::uint32_t>(i) + k * (k - 1) / 2) { return false; }
    }
    return true;
}

/// Each policy where it works; a hand-off is the time from one rank to the other.
void orders() {
    for (auto const& [order, name] : {std::pair{ordering::events, "events"},
                                      {ordering::memory, "words in memory"},
                                      {ordering::host, "the host"}}) {
        for (int const size : {2, 4}) {
            shared_figure works;
            auto const title = std::string(", order by ") + name + ", " + std::to_string(size) +
                               " processes sharing one GPU";
            on_processes(1, [](auto&) {});  // says where there is no device
            try {
                on_processes(
                    size,
                    [&](auto& comm) {
                        for (coll::any_algorithm const a :
                             {coll::any_algorithm(coll::ring{}), coll::any_algorithm(coll::tree{}),
                              coll::any_algorithm(coll::two_shot{})}) {
                            for (std::size_t const n : {1U, 1'001U, 1'000'003U}) {
                                require(adds_up(comm, n, a), "a wrong sum" + title);
                            }
                        }
                        auto word = comm.template allocate<float>(1);
                        int root = 0;
                        auto const time = seconds(501, [&] {
                            comm.broadcast(word, root, {.algorithm = coll::star{}});
                            root = (root + 1) % comm.size();
                        });
                        if (comm.rank() != 0) { return; }
                        *works = 1;
                        control("H: a hand-off" + title, 1e6 * time, "us");
                    },
                    order);
            } catch (coll::run_error const& e) {
                require(std::string(e.what()).find("wrong sum") == std::string::npos, e.what());
            }
            if (order == ordering::host) {
                report("it works" + title, *works, "", '>', 1);
            } else {
                control("it works" + title, *works, "");
            }
        }
    }
}

void started() {
    on_processes(4, [](auto& comm) {
        std::size_t const n = 1'000'003;
        auto buffer = comm.template allocate<float>(n);
        to_device(buffer.data(), std::vector<float>(n, 1));
        comm.barrier();
        auto p = comm.start_all_reduce(buffer, coll::sum{}, {.algorithm = coll::ring{}});
        std::this_thread::sleep_for(std::chrono::seconds(1));  // nobody tests or waits
        auto const got = from_device(buffer.data(), n);
        require(got == std::vector<float>(n, 4), "a started call stood still");
        p.wait();
        comm.barrier();
    });
    report("a started call that nobody waits for, 4 processes: wrong results", 0, "", '<', 0);
}

/// Elements off by more than what one rounding of each addition may cost; and those whose bits
/// differ between ranks, or from call to call.
template <class T>
void reference(char const* name, double epsilon, std::size_t n, std::size_t stride) {
    for (int const size : {2, 4}) {
        std::atomic<std::size_t> wrong = 0, different = 0;
        std::vector<T> first(n);
        coll::shm::run(1, [&](auto&) {
            coll::threads::run(size, [&](auto& base) {
                auto comm = coll::cuda::communicator(base, 0);
                auto const value = [](int rank, std::size_t i) {
                    auto const h = static_cast<std::uint32_t>(i * 2654435761U) ^
                                   static_cast<std::uint32_t>(rank * 40503);
                    return T(static_cast<float>(h % 2001) / 1000.0F - 1);
                };
                auto in = comm.template allocate<T>(n), out = comm.template allocate<T>(n);
                std::vector<T> mine(n);
                for (std::size_t i = 0; i < n; ++i) { mine[i] = value(comm.rank(), i); }
                to_device(in.data(), mine);
                for (int turn = 0; turn < 2; ++turn) {
                    comm.all_reduce(in, out, coll::sum{}, {.timeout = std::chrono::seconds(60)});
                    mine = from_device(out.data(), n);
                    if (comm.rank() == 0 && turn == 0) { first = mine; }
                    base.barrier();
                    auto const same = std::memcmp(mine.data(), first.data(), n * sizeof(T)) == 0;
                    different += same ? 0U : 1U;
                    base.barrier();
                }
                for (std::size_t i = 0; i < n; i += stride) {
                    double sum = 0, magnitude = 0;
                    for (int r = 0; r < size; ++r) {
                        auto const x = static_cast<double>(static_cast<float>(value(r, i)));
                        sum += x;
                        magnitude += std::abs(x);
                    }
                    auto const off =
                        std::abs(static_cast<double>(static_cast<float>(mine[i])) - sum);
                    if (off > epsilon * size * magnitude) { ++wrong; }
                }
            });
            auto const title = std::string(name) + ", " + std::to_string(size) +
                               " threads sharing one GPU, " + std::to_string(n * sizeof(T)) +
                               " bytes: ";
            report(title + "sums beyond the bound", static_cast<double>(wrong), "", '<', 0);
            report(title + "other bits on a rank or in a repeat", static_cast<double>(different),
                   "", '<', 0);
        });
    }
}
void references() {
    reference<float>("float", 0x1p-23, 1'000'003, 1);
    reference<double>("double", 0x1p-24, 100'003, 1);  // the reference is no more exact
    reference<coll::float16>("float16", 0x1p-10, 1'000'003, 1);
    reference<coll::bfloat16>("bfloat16", 0x1p-7, 1'000'003, 1);
    reference<float>("float", 0x1p-23, 256 * mib, 97);
}

/// Handles are opened once, and none is left.
void mappings_left() {
    for (int const size : {2, 4, 8}) {
        on_processes(size, [&](auto& comm) {
            auto const all = coll::cuda::mappings::of(coll::cuda::runtime_calls::get());
            std::size_t opened = 0;
            {
                auto buffer = comm.template allocate<float>(100'000);
                auto const at = [&](std::size_t i) { return std::span(buffer.data() + i, 1'000); };
                comm.all_reduce(at(0));
                opened = all->opened();
                for (std::size_t i = 1; i < 1'000; ++i) { comm.all_reduce(at(i * 7)); }
                opened = all->opened() - opened;
            }
            for (int i = 0; i < 3; ++i) { comm.barrier(); }
            if (comm.rank() != 0) { return; }
            report("handles opened in 999 calls, " + std::to_string(size) +
                       " processes sharing one GPU",
                   static_cast<double>(opened), "", '<', 9);  // in a hundred calls at most one
        });
        coll::shm::run(size, [&](auto& base) {
            auto const all = coll::cuda::mappings::of(coll::cuda::runtime_calls::get());
            {
                auto comm = coll::cuda::communicator(base, 0);
                require(adds_up(comm, 10'000, coll::two_shot{}), "a wrong sum");
            }
            auto const left = static_cast<double>(all->live());
            if (base.rank() != 0) { return; }
            report("mappings left behind, " + std::to_string(size) + " processes sharing one GPU",
                   left, "", '<', 0);
        });
    }
}

double free_memory() {
    std::size_t free = 0, all = 0;
    check(::cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
    return static_cast<double>(free) / static_cast<double>(mib);
}

/// All others are told, all end by themselves, and the next job works.
void killed() {
    shared_figure before, killed_at, told, told_last;
    coll::shm::run(1, [&](auto&) { *before = free_memory(); });
    try {
        on_processes(4, [&](auto& comm) {
            auto buffer = comm.template allocate<float>(64 * mib);
            for (int i = 0; i < 100'000; ++i) {
                if (comm.rank() == 2 && i == 50) {
                    *killed_at = now();
                    std::raise(SIGKILL);
                }
                try {
                    comm.all_reduce(buffer);
                } catch (coll::peer_lost_error const& e) {
                    require(e.peer() == 2, e.what());
                    told.add(1);
                    *told_last = now();
                    return;
                }
            }
        });
    } catch (coll::run_error const& e) { require(e.signal() == SIGKILL, e.what()); }
    auto const ended_at = now();
    report("a rank of 4 processes sharing one GPU is killed: others that were told", *told, "", '>',
           3);
    report("the same: until the last of them was told", *told_last - *killed_at, "s", '<', 5);
    report("the same: until all had ended", ended_at - *killed_at, "s", '<',
           5);  // else they are killed
    coll::shm::run(1, [&](auto&) {
        report("the same: memory that did not come back", std::abs(*before - free_memory()), "MiB",
               '<', 64);
    });
    on_processes(2, [](auto& comm) {
        for (auto const a : coll::all_algorithms) {
            for (std::size_t const n : {1U, 1'001U, 1'000'003U}) {
                require(adds_up(comm, n, a), "a wrong sum after it");
            }
        }
    });
}

/// All of it at once, against the traffic and the hand-offs.
void largest() {
    for (int const size : {2, 4, 8}) {
        on_processes(size, [&](auto& comm) {
            std::size_t const bytes = 2048 * mib;
            auto const speed = comm.rank() == 0 ? copy_speed(1024 * mib) : 1;
            auto word = comm.template allocate<float>(1);
            int root = 0;
            auto const hand_off = seconds(101, [&] {
                comm.broadcast(word, root, {.algorithm = coll::star{}});
                root = (root + 1) % comm.size();
            });
            auto in = comm.template allocate<float>(bytes / sizeof(float));
            auto out = comm.template allocate<float>(bytes / sizeof(float));
            auto const time = seconds(11, [&] {
                comm.all_reduce(
                    in, out, coll::sum{},
                    {.algorithm = coll::two_shot{}, .timeout = std::chrono::seconds(30)});
            });
            comm.barrier();
            if (comm.rank() != 0) { return; }
            auto const k = 2.0 * size;
            auto const allowed = 1.15 * k * static_cast<double>(bytes) / speed + k * hand_off;
            report("two_shot, " + std::to_string(size) +
                       " processes sharing one GPU, 2 GiB: time over 1.15 * 2Kn/B + 2K * H",
                   time / allowed, "", '<', 1);
        });
    }
}

}  // namespace

int main(int argc, char** argv) {
    return gpu::run_check(argc, argv,
                          {{"1_orders", orders},
                           {"2_started", started},
                           {"3_reference", references},
                           {"4_mappings", mappings_left},
                           {"5_killed", killed},
                           {"6_largest", largest}});
}
