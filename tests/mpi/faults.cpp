// SPDX-License-Identifier: BSD-3-Clause
// faults RANKS FAULT [hosts]: what ranks learn of a fault of rank 1, also where they share hosts.
// Each rank that is told says "rank R was told" with what; the launcher's test counts these. Of
// death_ends and death_shrinks it counts "rank R has ended": the others end soon after a death.
#include <collectives/mpi.hpp>

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace coll = collectives;
using namespace std::chrono_literals;

namespace {

/// Returns at one time on all ranks, which are on one machine, though they come out of a collective
/// one after the other, and the processors may be busy.
void begin_together(coll::communicator& comm) {
    std::int64_t when = (coll::steady::now() + 100ms).time_since_epoch().count();
    comm.broadcast(std::span(&when, 1), 0);
    std::this_thread::sleep_until(coll::steady::time_point(coll::steady::duration(when)));
}

/// Calls `call`, and says how it ended if it ended as it should: in an E, within half a second, or
/// on rank 1, which may have been stopped for so long, a second.
template <class E>
void be_told(int rank, std::function<void()> const& call, double most = 0.5) {
    auto const start = coll::steady::now();
    try {
        call();
        std::printf("rank %d got a result\n", rank);
    } catch (E const& e) {
        auto const seconds = std::chrono::duration<double>(coll::steady::now() - start).count();
        std::printf("rank %d %s after %.3f s: %s\n", rank,
                    seconds < (rank == 1 ? 1.0 : most) ? "was told" : "is late", seconds, e.what());
    } catch (std::exception const& e) { std::printf("rank %d got %s\n", rank, e.what()); }
    std::fflush(stdout);
}

/// Ends the communicator, which takes as long as the ranks that live need.
void end(coll::communicator& comm) {
    auto const rank = comm.rank();
    auto const start = coll::steady::now();
    { auto const gone = std::move(comm); }
    auto const seconds = std::chrono::duration<double>(coll::steady::now() - start).count();
    std::printf("rank %d %s after %.3f s\n", rank, seconds < 0.5 ? "has ended" : "is late",
                seconds);
    std::fflush(stdout);
}

/// Stops this process for half a second, in the middle of whatever it does.
void stop_for_a_while() {
    auto const me = ::getpid();
    if (::fork() == 0) {
        ::usleep(50'000);
        ::kill(me, SIGSTOP);
        ::usleep(500'000);
        ::kill(me, SIGCONT);
        ::_exit(0);
    }
}

/// Whether deaths are noticed as such: MPI tells nobody, a host's shared memory does.
void suffer(coll::communicator& comm, std::string_view fault, coll::any_algorithm odd_one,
            bool notices_deaths) {
    auto const odd = comm.rank() == 1;
    static std::vector<int> data(100'000, 1);  // MPI may read it to its end
    coll::options const soon{.timeout = 200ms};
    comm.all_reduce(data);
    begin_together(comm);
    if (fault == "mismatch") {
        be_told<coll::mismatch_error>(comm.rank(), [&] {
            comm.all_reduce(data, coll::sum{},
                            {.algorithm = odd ? odd_one : coll::any_algorithm(coll::ring{})});
        });
    } else if (fault == "late") {
        be_told<coll::timeout_error>(comm.rank(), [&] {
            if (odd) { std::this_thread::sleep_for(350ms); }
            comm.all_reduce(data, coll::sum{}, soon);
        });
    } else if (fault == "busy") {  // rank 1 sends nothing, and rank 2 something else without end
        std::span const few(data.data(), 10);
        be_told<coll::timeout_error>(
            comm.rank(),
            [&] {
                if (comm.rank() == 0) { return comm.recv(few, 1, 7, soon); }
                while (comm.rank() == 2) { comm.send(few, 0, 8); }
                std::this_thread::sleep_for(350ms);
                comm.barrier();
            },
            comm.rank() == 0 ? 1.2 * 0.2 + 0.05 : 0.5);
    } else if (fault == "stopped") {
        if (odd) { stop_for_a_while(); }
        be_told<coll::timeout_error>(comm.rank(), [&] {
            for (;;) { comm.all_reduce(data, coll::sum{}, soon); }
        });
    } else if (fault == "leaves") {
        if (odd) {
            std::this_thread::sleep_for(100ms);  // the others are through with the first call
            auto const gone = std::move(comm);
            throw std::runtime_error("this rank has had enough");
        }
        be_told<coll::peer_lost_error>(comm.rank(), [&] { comm.all_reduce(data); });
    } else if (fault.starts_with("abort")) {  // 300 ms on, while its own thread sleeps for longer
        std::thread watchdog;
        if (odd) {
            auto const bite = [&] {
                std::this_thread::sleep_for(300ms);
                comm.abort("the watchdog bites");
            };
            fault == "abort_itself" ? bite() : void(watchdog = std::thread(bite));
            std::this_thread::sleep_for(1s);
            if (watchdog.joinable()) { watchdog.join(); }
        }
        be_told<coll::error>(comm.rank(), [&] { comm.barrier(); });
    } else {
        if (odd) {
            std::this_thread::sleep_for(300ms);  // the others wait, and sleep
            ::kill(::getpid(), SIGKILL);
        }
        std::this_thread::sleep_for(250ms);
        auto const call = [&] { comm.all_reduce(data, coll::sum{}, soon); };
        if (notices_deaths) {
            be_told<coll::peer_lost_error>(comm.rank(), call);
        } else {
            be_told<coll::timeout_error>(comm.rank(), call);
        }
        if (fault == "death_shrinks") {
            auto rest = comm.shrink(soon);
            rest.barrier();
        }
        if (fault != "death") { end(comm); }
        ::_exit(0);  // MPI cannot be ended in order without that rank
    }
}

}  // namespace

int main(int argc, char** argv) {
    int level = 0;
    std::string_view const fault = argc > 2 ? argv[2] : "";
    auto const wanted = fault == "abort" ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED;
    MPI_Init_thread(&argc, &argv, wanted, &level);
    try {
        auto const hosts = argc > 3;
        auto comm = hosts ? coll::mpi::hierarchical_communicator(MPI_COMM_WORLD)
                          : coll::mpi::communicator(MPI_COMM_WORLD);
        auto const odd_one = hosts ? coll::any_algorithm(coll::hierarchical{2})
                                   : coll::any_algorithm(coll::halving{});
        suffer(comm, fault, odd_one, hosts);
    } catch (std::exception const& e) { std::printf("%s\n", e.what()); }
    MPI_Finalize();
}
