// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite over ranks that are threads.
#include <conformance/collectives_suite.hpp>

TYPE_TO_STRING(conformance::over_threads);
TYPE_TO_STRING(conformance::counted_threads);
TYPE_TO_STRING(conformance::traced_threads);

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(every_collective, over_threads, counted_threads);
TEST_CASE_TEMPLATE_INVOKE(every_root, over_threads, traced_threads);
TEST_CASE_TEMPLATE_INVOKE(every_element, over_threads, traced_threads);

}  // namespace conformance
