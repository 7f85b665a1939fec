// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite over ranks that are processes.
#include <conformance/collectives_suite.hpp>

TYPE_TO_STRING(conformance::over_shm);
TYPE_TO_STRING(conformance::counted_shm);
TYPE_TO_STRING(conformance::traced_shm);

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(every_collective, over_shm, counted_shm);
TEST_CASE_TEMPLATE_INVOKE(every_root, over_shm, traced_shm);
TEST_CASE_TEMPLATE_INVOKE(every_element, over_shm, traced_shm);

}  // namespace conformance
