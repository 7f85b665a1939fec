// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite over ranks that are threads.
#include <conformance/adaptors_suite.hpp>
#include <conformance/bits_suite.hpp>
#include <conformance/collectives_suite.hpp>
#include <conformance/counts_suite.hpp>
#include <conformance/groups_suite.hpp>
#include <conformance/large.hpp>
#include <conformance/messages_suite.hpp>
#include <conformance/started_suite.hpp>
#include <conformance/usage_suite.hpp>

TYPE_TO_STRING(conformance::over_threads);
TYPE_TO_STRING(conformance::adapted_threads);

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(every_collective, over_threads, adapted_threads);
TEST_CASE_TEMPLATE_INVOKE(every_root, over_threads, adapted_threads);
TEST_CASE_TEMPLATE_INVOKE(every_element, over_threads, adapted_threads);
TEST_CASE_TEMPLATE_INVOKE(any_cut, over_threads, adapted_threads);
TEST_CASE_TEMPLATE_INVOKE(several_under_way, over_threads, adapted_threads);
TEST_CASE_TEMPLATE_INVOKE(ends_of_calls, over_threads, adapted_threads);
TEST_CASE_TEMPLATE_INVOKE(all_ranges, over_threads, adapted_threads);
TEST_CASE_TEMPLATE_INVOKE(messages_between_two, over_threads, adapted_threads);
TEST_CASE_TEMPLATE_INVOKE(barriers, over_threads, adapted_threads);
TEST_CASE_TEMPLATE_INVOKE(groups, over_threads, adapted_threads);
TEST_CASE_TEMPLATE_INVOKE(groups_at_once, over_threads, adapted_threads);
TEST_CASE_TEMPLATE_INVOKE(equal_bits, over_threads, adapted_threads);
TEST_CASE_TEMPLATE_INVOKE(reproducible, over_threads, adapted_threads);
TEST_CASE_TEMPLATE_INVOKE(mistakes, over_threads, adapted_threads);
TEST_CASE_TEMPLATE_INVOKE(counted_bytes, over_threads);
TEST_CASE_TEMPLATE_INVOKE(traced_steps, over_threads);

TEST_CASE("large vectors") {
    for (int const size : with_sanitizers() ? std::vector{2, 3} : std::vector{2, 3, 4}) {
        CAPTURE(size);
        coll::threads::run(size, [](auto& comm) { large_vectors(comm); });
    }
}

}  // namespace conformance
