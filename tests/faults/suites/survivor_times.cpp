// SPDX-License-Identifier: BSD-3-Clause
// How soon the living go on after a loss, with more ranks than cores.
#include <faults/lost.hpp>

#include <algorithm>

namespace faults {

namespace {

/// The longest time from the last of eight ranks' calls of `shrink` until all have gone on.
double time_to_go_on() {
    constexpr int size = 8, lost = 5;
    clean_room room;
    shared_array<double> called(size), gone_on(size);
    run_with_losses(size, [&](coll::communicator& comm) {
        comm.barrier();
        if (comm.rank() == lost) { return die(); }
        observation told;
        observe(told, [&] { comm.barrier(); });
        called.at(comm) = seconds_now();
        auto rest = comm.shrink();
        gone_on.at(comm) = seconds_now();
        rest.barrier();
    });
    for (int r = 0; r < size; ++r) { CHECK((r == lost || gone_on[r] > 0)); }
    return *std::max_element(gone_on.begin(), gone_on.end()) -
           *std::max_element(called.begin(), called.end());
}

}  // namespace

TEST_SUITE_BEGIN("alone");

TEST_CASE("eight ranks go on soon after the last has called") {
    auto seconds = time_to_go_on();
    for (int again = 0; again < 2 && seconds > most_seconds_to_go_on(); ++again) {
        seconds = time_to_go_on();
    }
    MESSAGE("they took ", seconds, " s");
    CHECK_LT(seconds, most_seconds_to_go_on());
}

TEST_SUITE_END();

}  // namespace faults
