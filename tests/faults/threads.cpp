// SPDX-License-Identifier: BSD-3-Clause
// Faults of ranks that are threads.
#include <faults/harness.hpp>
#include <faults/limits.hpp>

namespace faults {
using job = on_threads;
}

#include <faults/broken.hpp>
#include <faults/departures.hpp>
#include <faults/lateness.hpp>
#include <faults/mismatch.hpp>
#include <faults/pairs.hpp>
#include <faults/waiting.hpp>

namespace faults {

TEST_CASE("no more threads: an error, and nobody waits for those that were not started" *
          doctest::skip(slowness > 1)) {
    for (int i = 0; i < repeats(); ++i) {
        clean_room<job> room;
        observation ending;
        {
            limited const small(RLIMIT_AS, memory_in_use() + (::rlim_t{40} << 20));
            observe(ending, [&] { job::run(16, [](auto& comm) { comm.barrier(); }); });
        }
        CAPTURE(ending.what());
        CHECK_EQ(ending.caught, outcome::foreign);  // std::system_error
        CHECK_LT(ending.seconds, 1);
    }
}

}  // namespace faults
