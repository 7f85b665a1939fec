// SPDX-License-Identifier: BSD-3-Clause
// Tensor fusion over ranks that are processes that share memory.
#include <faults/harness.hpp>

namespace faults {

kind_of_job const job = on_shm;

}  // namespace faults

#include <fusion/changes_suite.hpp>
#include <fusion/suites.hpp>

namespace fusion_tests {

using conformance::over_shm;

TEST_CASE("every threshold, with and without a thread") { every_threshold(over_shm); }
TEST_CASE("handles") { handles(over_shm); }
TEST_CASE("tensors that change from step to step") { changing_steps(over_shm); }
TEST_CASE("operators") { operators(over_shm); }
TEST_CASE("compression") { compressed(over_shm); }
TEST_CASE("the same bits") { same_bits(over_shm); }
TEST_CASE("priorities") { priorities(over_shm); }
TEST_CASE("priorities, ranks at their own pace") { uneven_ranks(over_shm); }

}  // namespace fusion_tests
