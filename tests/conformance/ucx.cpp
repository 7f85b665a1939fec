// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite over UCX.
#include <collectives/ucx.hpp>

#include <conformance/bits_suite.hpp>
#include <conformance/collectives_suite.hpp>
#include <conformance/counts_suite.hpp>
#include <conformance/groups_suite.hpp>
#include <conformance/messages_suite.hpp>
#include <conformance/started_suite.hpp>
#include <conformance/usage_suite.hpp>
#include <ucx/world.hpp>

namespace conformance {

struct over_ucx {
    template <class F>
    static void run(int size, F const& f) {
        if (size < 1) { throw coll::usage_error("no ranks"); }
        ucx_world::run(size, f);
    }
};

}  // namespace conformance

TYPE_TO_STRING(conformance::over_ucx);

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(every_collective, over_ucx);
TEST_CASE_TEMPLATE_INVOKE(every_root, over_ucx);
TEST_CASE_TEMPLATE_INVOKE(every_element, over_ucx);
TEST_CASE_TEMPLATE_INVOKE(any_cut, over_ucx);
TEST_CASE_TEMPLATE_INVOKE(several_under_way, over_ucx);
TEST_CASE_TEMPLATE_INVOKE(ends_of_calls, over_ucx);
TEST_CASE_TEMPLATE_INVOKE(all_ranges, over_ucx);
TEST_CASE_TEMPLATE_INVOKE(messages_between_two, over_ucx);
TEST_CASE_TEMPLATE_INVOKE(groups, over_ucx);
TEST_CASE_TEMPLATE_INVOKE(groups_at_once, over_ucx);
TEST_CASE_TEMPLATE_INVOKE(equal_bits, over_ucx);
TEST_CASE_TEMPLATE_INVOKE(reproducible, over_ucx);
TEST_CASE_TEMPLATE_INVOKE(mistakes, over_ucx);

}  // namespace conformance
