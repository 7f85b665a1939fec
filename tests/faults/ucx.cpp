// SPDX-License-Identifier: BSD-3-Clause
// Faults of ranks that reach each other by UCX.
#include <collectives/ucx.hpp>

#include <faults/harness.hpp>
#include <ucx/world.hpp>

namespace faults {

struct on_ucx {
    static constexpr auto word_time = 20ms;
    static constexpr bool processes = true;
    template <class F>
    static void run(int size, F&& f) {
        ucx_world::run(size, std::forward<F>(f));
    }
};
using job = on_ucx;

}  // namespace faults

#include <faults/broken.hpp>
#include <faults/death.hpp>
#include <faults/departures.hpp>
#include <faults/lateness.hpp>
#include <faults/mismatch.hpp>
#include <faults/pairs.hpp>
#include <faults/stops.hpp>
#include <faults/waiting.hpp>
