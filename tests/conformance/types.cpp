// SPDX-License-Identifier: BSD-3-Clause
// Every operator on every type it is for, over threads and over processes, with all algorithms.
#include <conformance/types_suite.hpp>

TYPE_TO_STRING(conformance::over_threads);
TYPE_TO_STRING(conformance::over_shm);

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(integers, over_threads, over_shm);
TEST_CASE_TEMPLATE_INVOKE(floating_point, over_threads, over_shm);
TEST_CASE_TEMPLATE_INVOKE(own_types, over_threads, over_shm);
TEST_CASE_TEMPLATE_INVOKE(not_a_number, over_threads, over_shm);
TEST_CASE_TEMPLATE_INVOKE(rounding, over_threads, over_shm);

}  // namespace conformance
