// SPDX-License-Identifier: BSD-3-Clause
// Faults of ranks that reach each other by UCX.
#include <collectives/ucx.hpp>

#include <faults/harness.hpp>
#include <faults/observed.hpp>
#include <ucx/world.hpp>

namespace faults {

kind_of_job const job{ucx_world::run, true, 40, 20ms};

TEST_CASE("ranks that do not connect are an error of those that do") {
    shared_array<observation> of(3);
    coll::shm::run(3, [&](coll::communicator& base) {
        coll::bootstrap_over meeting(base);
        if (base.rank() == 2) {
            meeting.all_gather({}, coll::steady::now() + 5s);  // it tells no address
            return;
        }
        observe(of.at(base), [&] { (void)coll::ucx::communicator(meeting, 5s); });
    });
    for (int r = 0; r < 2; ++r) {
        CHECK_EQ(of[r].caught, outcome::transport);
        CHECK(of[r].says("rank 2 sent no address"));
    }
}

}  // namespace faults
