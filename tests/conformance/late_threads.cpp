// SPDX-License-Identifier: BSD-3-Clause
// Late ranks that read each other's memory, where they can reach it.
#include <conformance/late_suite.hpp>
#include <conformance/suites.hpp>

#include <doctest/doctest.h>

TYPE_TO_STRING(conformance::over_late_threads);

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(changing_shapes, over_late_threads);
TEST_CASE_TEMPLATE_INVOKE(roots_ahead, over_late_threads);
TEST_CASE_TEMPLATE_INVOKE(pushed_sums, over_late_threads);
TEST_CASE_TEMPLATE_INVOKE(others_left, over_late_threads);
TEST_CASE_TEMPLATE_INVOKE(late_started, over_late_threads);
TEST_CASE_TEMPLATE_INVOKE(late_order, over_late_threads);

}  // namespace conformance
