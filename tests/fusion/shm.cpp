// SPDX-License-Identifier: BSD-3-Clause
// Tensor fusion over ranks that are processes that share memory.
#include <faults/harness.hpp>

namespace faults {
using job = on_shm;
using job_transport = coll::shm::transport;
}  // namespace faults

#include <fusion/changes_suite.hpp>
#include <fusion/faults_suite.hpp>
#include <fusion/priorities_suite.hpp>
#include <fusion/results_suite.hpp>

namespace fusion_tests {

using world = conformance::over_shm;

TEST_CASE("every threshold, with and without a thread") { every_threshold<world>(); }
TEST_CASE("handles") { handles<world>(); }
TEST_CASE("tensors that change from step to step") { changing_steps<world>(); }
TEST_CASE("operators") { operators<world>(); }
TEST_CASE("compression") { compressed<world>(); }
TEST_CASE("the same bits") { same_bits<world>(); }
TEST_CASE("priorities") { priorities<world>(); }
TEST_CASE("priorities, ranks at their own pace") { uneven_ranks<world>(); }

}  // namespace fusion_tests
