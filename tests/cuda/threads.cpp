// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite over devices without a GPU: ranks that are threads of one process.
#include <conformance/suites.hpp>
#include <cuda/suite_kernels.hpp>
#include <cuda/worlds.hpp>

namespace conformance {

TEST_CASE("every collective with every algorithm") { every_collective(fake::over_threads); }
TEST_CASE("every root") { every_root(fake::over_threads); }
TEST_CASE("blocks of any sizes") { any_cut(fake::over_threads); }
TEST_CASE("blocks at any places") { any_places(fake::over_threads); }
TEST_CASE("several calls under way") { several_under_way(fake::over_threads); }
TEST_CASE("messages") { messages_between_two(fake::over_threads); }
TEST_CASE("messages that wait") { probes(fake::over_threads); }
TEST_CASE("messages both ways at once") { exchanges(fake::over_threads); }
TEST_CASE("a barrier holds everybody") { barriers(fake::over_threads); }
TEST_CASE("groups") { groups(fake::over_threads); }
TEST_CASE("groups at the same time") { groups_at_once(fake::over_threads); }

}  // namespace conformance
