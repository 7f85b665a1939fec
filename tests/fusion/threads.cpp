// SPDX-License-Identifier: BSD-3-Clause
// Tensor fusion over ranks that are threads.
#include <faults/harness.hpp>

namespace faults {

kind_of_job const job = on_threads;

}  // namespace faults

#include <fusion/property_suite.hpp>
#include <fusion/suites.hpp>
#include <fusion/steady_suite.hpp>

namespace fusion_tests {

using conformance::over_threads;

TEST_CASE("every threshold, with and without a thread") { every_threshold(over_threads); }
TEST_CASE("handles") { handles(over_threads); }
TEST_CASE("operators") { operators(over_threads); }
TEST_CASE("compression") { compressed(over_threads); }
TEST_CASE("the same bits") { same_bits(over_threads); }
TEST_CASE("priorities") { priorities(over_threads); }
TEST_CASE("priorities, ranks at their own pace") { uneven_ranks(over_threads); }
TEST_CASE("random steps") { CHECK(random_steps(over_threads)); }
TEST_CASE("steps that are nearly alike") { CHECK(steps_nearly_alike(over_threads)); }
TEST_CASE("no allocation per step") { no_allocation_per_step(over_threads); }
TEST_CASE("no bucket per step without flush") { no_bucket_per_step_without_flush(over_threads); }
TEST_CASE("no message of its own") { no_message_of_its_own(over_threads); }

}  // namespace fusion_tests
