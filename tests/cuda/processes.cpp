// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite over devices without a GPU: ranks that are processes, whose order events
// keep, or words in memory, or the host.
#include <conformance/collectives_suite.hpp>
#include <conformance/counts_suite.hpp>
#include <conformance/groups_suite.hpp>
#include <conformance/messages_suite.hpp>
#include <conformance/started_suite.hpp>
#include <cuda/suite_kernels.hpp>
#include <cuda/worlds.hpp>

TYPE_TO_STRING(fake::over_processes);
TYPE_TO_STRING(fake::memory_ordered);
TYPE_TO_STRING(fake::host_ordered);

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(every_collective, fake::over_processes);
TEST_CASE_TEMPLATE_INVOKE(every_root, fake::over_processes, fake::memory_ordered,
                          fake::host_ordered);
TEST_CASE_TEMPLATE_INVOKE(any_cut, fake::over_processes, fake::memory_ordered, fake::host_ordered);
TEST_CASE_TEMPLATE_INVOKE(several_under_way, fake::over_processes, fake::memory_ordered,
                          fake::host_ordered);
TEST_CASE_TEMPLATE_INVOKE(messages_between_two, fake::over_processes);
TEST_CASE_TEMPLATE_INVOKE(barriers, fake::over_processes, fake::memory_ordered, fake::host_ordered);
TEST_CASE_TEMPLATE_INVOKE(groups, fake::over_processes);
TEST_CASE_TEMPLATE_INVOKE(groups_at_once, fake::over_processes);

}  // namespace conformance
