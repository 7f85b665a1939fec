// SPDX-License-Identifier: BSD-3-Clause
// hosts_faults RANKS FAULT: what ranks that share hosts learn of a fault of rank 1. Each rank that
// is told says "rank R was told" with what; the launcher's test counts these.
#include <collectives/mpi.hpp>

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace coll = collectives;
using namespace std::chrono_literals;

namespace {

/// Calls `call`, and says how it ended if it ended as it should: in an E, within half a second.
template <class E, class Call>
void be_told(int rank, Call&& call) {
    auto const start = coll::steady::now();
    try {
        call();
        std::printf("rank %d got a result\n", rank);
    } catch (E const& e) {
        auto const seconds = std::chrono::duration<double>(coll::steady::now() - start).count();
        std::printf("rank %d %s after %.3f s: %s\n", rank, seconds < 0.5 ? "was told" : "is late",
                    seconds, e.what());
    } catch (std::exception const& e) { std::printf("rank %d got %s\n", rank, e.what()); }
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    std::string_view const fault = argc > 2 ? argv[2] : "";
    {
        coll::mpi::hierarchical_communicator comm(MPI_COMM_WORLD);
        auto const odd = comm.rank() == 1;
        std::vector<int> data(100'000, 1);
        comm.all_reduce(data);
        if (fault == "mismatch") {
            be_told<coll::mismatch_error>(comm.rank(), [&] {
                comm.all_reduce(data, coll::sum{}, {.algorithm = coll::hierarchical{odd ? 4 : 2}});
            });
        } else if (fault == "late") {
            be_told<coll::timeout_error>(comm.rank(), [&] {
                if (odd) { std::this_thread::sleep_for(350ms); }
                comm.all_reduce(data, coll::sum{}, {.timeout = 200ms});
            });
        } else {
            if (odd) {
                std::this_thread::sleep_for(300ms);  // the others wait, and sleep
                ::kill(::getpid(), SIGKILL);
            }
            std::this_thread::sleep_for(250ms);
            be_told<coll::peer_lost_error>(comm.rank(), [&] { comm.all_reduce(data); });
            ::_exit(0);  // MPI cannot be ended in order without that rank
        }
    }
    MPI_Finalize();
}
