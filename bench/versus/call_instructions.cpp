// SPDX-License-Identifier: BSD-3-Clause
// How many instructions an all_reduce of 4 bytes takes on a rank whose peer is already there. To be
// run by `valgrind --tool=callgrind --collect-atstart=no`; bench/versus/instructions.py does so.
//
// Two ranks are threads, and valgrind runs one thread at a time. Rank 1 calls all_reduce and waits.
// Rank 0 sleeps first, for long enough that rank 1 has written its contribution, has spun and has
// gone to sleep. Then rank 0 counts one call: it finds its peer's contribution, never waits, and
// wakes its peer. Rank 0 alone counts, and it counts in its calls alone: callgrind keeps for each
// thread whether it counts. So no waiting is counted, every call takes the same path, and two runs
// differ by less than 1 %. Prints the number of counted calls.
#include <collectives/collectives.hpp>

#include <valgrind/callgrind.h>

#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

namespace coll = collectives;

int main() {
    constexpr int warm_up = 50, counted = 200;
    coll::threads::run(2, [](auto& comm) {
        std::vector<float> const in(1, 1.0F);
        std::vector<float> out(1);
        for (int i = 0; i < warm_up + counted; ++i) {
            if (comm.rank() == 1) {
                comm.all_reduce(in, out);
                continue;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            if (i >= warm_up) { CALLGRIND_TOGGLE_COLLECT; }
            comm.all_reduce(in, out);
            if (i >= warm_up) { CALLGRIND_TOGGLE_COLLECT; }
        }
    });
    std::printf("%d\n", counted);
}
