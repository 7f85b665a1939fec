// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite over devices without a GPU: ranks that are threads of one process.
#include <conformance/collectives_suite.hpp>
#include <conformance/counts_suite.hpp>
#include <conformance/groups_suite.hpp>
#include <conformance/messages_suite.hpp>
#include <conformance/started_suite.hpp>
#include <cuda/suite_kernels.hpp>
#include <cuda/worlds.hpp>

TYPE_TO_STRING(fake::over_threads);

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(every_collective, fake::over_threads);
TEST_CASE_TEMPLATE_INVOKE(every_root, fake::over_threads);
TEST_CASE_TEMPLATE_INVOKE(any_cut, fake::over_threads);
TEST_CASE_TEMPLATE_INVOKE(several_under_way, fake::over_threads);
TEST_CASE_TEMPLATE_INVOKE(messages_between_two, fake::over_threads);
TEST_CASE_TEMPLATE_INVOKE(barriers, fake::over_threads);
TEST_CASE_TEMPLATE_INVOKE(groups, fake::over_threads);
TEST_CASE_TEMPLATE_INVOKE(groups_at_once, fake::over_threads);

}  // namespace conformance
