// SPDX-License-Identifier: BSD-3-Clause
// Tensor fusion over ranks that are threads.
#include <faults/harness.hpp>

namespace faults {
using job = on_threads;
using job_transport = coll::threads::transport;
}  // namespace faults

#include <fusion/faults_suite.hpp>
#include <fusion/priorities_suite.hpp>
#include <fusion/property_suite.hpp>
#include <fusion/results_suite.hpp>
#include <fusion/steady_suite.hpp>

namespace fusion_tests {

using world = conformance::over_threads;

TEST_CASE("every threshold, with and without a thread") { every_threshold<world>(); }
TEST_CASE("handles") { handles<world>(); }
TEST_CASE("operators") { operators<world>(); }
TEST_CASE("compression") { compressed<world>(); }
TEST_CASE("the same bits") { same_bits<world>(); }
TEST_CASE("priorities") { priorities<world>(); }
TEST_CASE("priorities, ranks at their own pace") { uneven_ranks<world>(); }
TEST_CASE("random steps") { CHECK(random_steps<world>()); }
TEST_CASE("steps that are nearly alike") { CHECK(steps_nearly_alike<world>()); }
TEST_CASE("no allocation per step") { no_allocation_per_step<world>(); }
TEST_CASE("no bucket per step without flush") { no_bucket_per_step_without_flush<world>(); }
TEST_CASE("no message of its own") { no_message_of_its_own<world>(); }

}  // namespace fusion_tests
