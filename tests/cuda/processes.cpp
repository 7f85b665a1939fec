// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite over devices without a GPU: ranks that are processes, whose order events
// keep, or words in memory, or the host.
#include <conformance/suites.hpp>
#include <cuda/suite_kernels.hpp>
#include <cuda/worlds.hpp>

namespace conformance {

using fake::host_ordered, fake::memory_ordered, fake::over_processes;

TEST_CASE("every collective with every algorithm") { every_collective(over_processes); }
TEST_CASE("every root") { over_each({over_processes, memory_ordered, host_ordered}, every_root); }
TEST_CASE("blocks of any sizes") {
    over_each({over_processes, memory_ordered, host_ordered}, any_cut);
}
TEST_CASE("blocks at any places") { any_places(over_processes); }
TEST_CASE("several calls under way") {
    over_each({over_processes, memory_ordered, host_ordered}, several_under_way);
}
TEST_CASE("messages") { messages_between_two(over_processes); }
TEST_CASE("messages that wait") { probes(over_processes); }
TEST_CASE("messages both ways at once") { exchanges(over_processes); }
TEST_CASE("a barrier holds everybody") {
    over_each({over_processes, memory_ordered, host_ordered}, barriers);
}
TEST_CASE("groups") { groups(over_processes); }
TEST_CASE("groups at the same time") { groups_at_once(over_processes); }

}  // namespace conformance
