// SPDX-License-Identifier: BSD-3-Clause
// Measures this library over UCX for coll_perf, which has collrun start the ranks.
#include "our_calls.hpp"

#include <collectives/ucx.hpp>

int main(int argc, char** argv) {
    try {
        auto const o = peers::order::read(argc, argv);
        load::inherit();
        // Before: a communicator looks at its start how many cores it may use.
        auto const* const rank = std::getenv("COLLECTIVES_RANK");
        if (o.how.pin && o.core_per_rank && rank != nullptr) {
            peers::pin_to_core(std::atoi(rank));
        }
        auto comm = collectives::ucx::join();
        peers::run_ours(comm, o);
    } catch (std::exception const& e) {
        std::cerr << e.what() << std::endl;
        return 1;
    }
}
