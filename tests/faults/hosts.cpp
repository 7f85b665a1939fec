// SPDX-License-Identifier: BSD-3-Clause
// Faults of ranks that share hosts, two each.
#include <collectives/launch/hosts.hpp>

#include <faults/harness.hpp>

#include <cstdlib>
#include <utility>

namespace faults {
struct job {
    static constexpr auto word_time = 0ms;
    static constexpr int calls_ahead = 40;
    static constexpr bool processes = true;
    template <class F>
    static void run(int size, F&& f) {
        ::setenv("COLLECTIVES_RANKS_PER_HOST", "2", 1);
        coll::shm::run(size, [&f](auto& base) {
            auto comm = coll::bridge_hosts(base);
            f(comm);
        });
    }
};
}  // namespace faults

#include <faults/broken.hpp>
#include <faults/lateness.hpp>
#include <faults/mismatch.hpp>
#include <faults/pairs.hpp>
