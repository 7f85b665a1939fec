// SPDX-License-Identifier: BSD-3-Clause
// Faults of ranks that reach each other by UCX.
#include <collectives/ucx.hpp>

#include <faults/harness.hpp>
#include <ucx/world.hpp>

#include <type_traits>
#include <utility>

namespace faults {

struct on_ucx {
    static constexpr auto word_time = 20ms;
    static constexpr int calls_ahead = 40;
    static constexpr bool processes = true;
    template <class F>
    static void run(int size, F&& f) {
        ucx_world::run(size, std::forward<F>(f));
    }
};
using job = on_ucx;

}  // namespace faults

#include <faults/observed.hpp>

namespace faults {

TEST_CASE("ranks that do not connect are an error of those that do") {
    shared_array<observation> of(3);
    coll::shm::run(3, [&](auto& base) {
        coll::bootstrap_over<std::remove_reference_t<decltype(base)>> meeting(base);
        if (base.rank() == 2) {
            meeting.all_gather({}, coll::steady::now() + 5s);  // it tells no address
            return;
        }
        observe(of.at(base), [&] { coll::ucx::communicator comm(meeting, 5s); });
    });
    for (int r = 0; r < 2; ++r) {
        CHECK_EQ(of[r].caught, outcome::transport);
        CHECK(of[r].says("rank 2 sent no address"));
    }
}

}  // namespace faults

#include <faults/broken.hpp>
#include <faults/death.hpp>
#include <faults/departures.hpp>
#include <faults/lateness.hpp>
#include <faults/mismatch.hpp>
#include <faults/pairs.hpp>
#include <faults/stops.hpp>
#include <faults/waiting.hpp>
