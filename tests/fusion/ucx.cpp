// SPDX-License-Identifier: BSD-3-Clause
// Tensor fusion over ranks that reach each other by UCX.
#include <collectives/ucx.hpp>

#include <faults/harness.hpp>
#include <ucx/world.hpp>

#include <utility>

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
using job_transport = coll::ucx::transport;

}  // namespace faults

#include <fusion/faults_suite.hpp>
#include <fusion/priorities_suite.hpp>
#include <fusion/results_suite.hpp>

namespace fusion_tests {

using world = faults::on_ucx;

TEST_CASE("every threshold, with and without a thread") { every_threshold<world>(); }
TEST_CASE("handles") { handles<world>(); }
TEST_CASE("compression") { compressed<world>(); }
TEST_CASE("the same bits") { same_bits<world>(); }
TEST_CASE("priorities") { priorities<world>(); }
TEST_CASE("priorities, ranks at their own pace") { uneven_ranks<world>(); }

}  // namespace fusion_tests
