// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite over MPI.
#include <mpi/launched.hpp>
#include <mpi/world.hpp>

#include <conformance/bits_suite.hpp>
#include <conformance/collectives_suite.hpp>
#include <conformance/counts_suite.hpp>
#include <conformance/groups_suite.hpp>
#include <conformance/messages_suite.hpp>
#include <conformance/started_suite.hpp>
#include <conformance/usage_suite.hpp>

TYPE_TO_STRING(conformance::over_mpi);

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(every_collective, over_mpi);
TEST_CASE_TEMPLATE_INVOKE(every_root, over_mpi);
TEST_CASE_TEMPLATE_INVOKE(every_element, over_mpi);
TEST_CASE_TEMPLATE_INVOKE(any_cut, over_mpi);
TEST_CASE_TEMPLATE_INVOKE(several_under_way, over_mpi);
TEST_CASE_TEMPLATE_INVOKE(ends_of_calls, over_mpi);
TEST_CASE_TEMPLATE_INVOKE(all_ranges, over_mpi);
TEST_CASE_TEMPLATE_INVOKE(messages_between_two, over_mpi);
TEST_CASE_TEMPLATE_INVOKE(groups, over_mpi);
TEST_CASE_TEMPLATE_INVOKE(groups_at_once, over_mpi);
TEST_CASE_TEMPLATE_INVOKE(equal_bits, over_mpi);
TEST_CASE_TEMPLATE_INVOKE(reproducible, over_mpi);
TEST_CASE_TEMPLATE_INVOKE(mistakes, over_mpi);

}  // namespace conformance

int main(int argc, char** argv) { return conformance::run_launched(argc, argv); }
