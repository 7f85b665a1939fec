// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite over ranks that are processes.
#include <conformance/adaptors_suite.hpp>
#include <conformance/bits_suite.hpp>
#include <conformance/collectives_suite.hpp>
#include <conformance/counts_suite.hpp>
#include <conformance/groups_suite.hpp>
#include <conformance/messages_suite.hpp>
#include <conformance/started_suite.hpp>
#include <conformance/usage_suite.hpp>

TYPE_TO_STRING(conformance::over_shm);
TYPE_TO_STRING(conformance::adapted_shm);

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(every_collective, over_shm, adapted_shm);
TEST_CASE_TEMPLATE_INVOKE(every_root, over_shm, adapted_shm);
TEST_CASE_TEMPLATE_INVOKE(every_element, over_shm, adapted_shm);
TEST_CASE_TEMPLATE_INVOKE(any_cut, over_shm, adapted_shm);
TEST_CASE_TEMPLATE_INVOKE(several_under_way, over_shm, adapted_shm);
TEST_CASE_TEMPLATE_INVOKE(ends_of_calls, over_shm, adapted_shm);
TEST_CASE_TEMPLATE_INVOKE(all_ranges, over_shm, adapted_shm);
TEST_CASE_TEMPLATE_INVOKE(messages_between_two, over_shm, adapted_shm);
TEST_CASE_TEMPLATE_INVOKE(barriers, over_shm, adapted_shm);
TEST_CASE_TEMPLATE_INVOKE(groups, over_shm, adapted_shm);
TEST_CASE_TEMPLATE_INVOKE(groups_at_once, over_shm, adapted_shm);
TEST_CASE_TEMPLATE_INVOKE(equal_bits, over_shm, adapted_shm);
TEST_CASE_TEMPLATE_INVOKE(reproducible, over_shm, adapted_shm);
TEST_CASE_TEMPLATE_INVOKE(mistakes, over_shm, adapted_shm);
TEST_CASE_TEMPLATE_INVOKE(counted_bytes, over_shm);
TEST_CASE_TEMPLATE_INVOKE(traced_steps, over_shm);

}  // namespace conformance
