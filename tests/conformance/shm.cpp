// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite over ranks that are processes.
#include <conformance/suites.hpp>

namespace conformance {

TEST_CASE("every collective with every algorithm") {
    over_each({over_shm, adapted_shm}, every_collective);
}
TEST_CASE("every root") { over_each({over_shm, adapted_shm}, every_root); }
TEST_CASE("elements of any size at any address") {
    over_each({over_shm, adapted_shm}, every_element);
}
TEST_CASE("blocks of any sizes") { over_each({over_shm, adapted_shm}, any_cut); }
TEST_CASE("blocks at any places") { over_each({over_shm, adapted_shm}, any_places); }
TEST_CASE("gaps between blocks are not touched") {
    over_each({over_shm, adapted_shm}, untouched_gaps);
}
TEST_CASE("several calls under way") { over_each({over_shm, adapted_shm}, several_under_way); }
TEST_CASE("ends of started calls") { over_each({over_shm, adapted_shm}, ends_of_calls); }
TEST_CASE("planned calls") { over_each({over_shm, adapted_shm}, planned_calls); }
TEST_CASE("calls that go on alone") { over_each({over_shm, adapted_shm}, calls_that_go_on_alone); }
TEST_CASE("ranges of all kinds") { over_each({over_shm, adapted_shm}, all_ranges); }
TEST_CASE("messages") { over_each({over_shm, adapted_shm}, messages_between_two); }
TEST_CASE("messages that wait") { over_each({over_shm, adapted_shm}, probes); }
TEST_CASE("messages both ways at once") { over_each({over_shm, adapted_shm}, exchanges); }
TEST_CASE("a barrier holds everybody") { over_each({over_shm, adapted_shm}, barriers); }
TEST_CASE("groups") { over_each({over_shm, adapted_shm}, groups); }
TEST_CASE("groups at the same time") { over_each({over_shm, adapted_shm}, groups_at_once); }
TEST_CASE("threads of a rank") { over_each({over_shm, adapted_shm}, threads_of_a_rank); }
TEST_CASE("all ranks get the same bits") { over_each({over_shm, adapted_shm}, equal_bits); }
TEST_CASE("reproducible is the left fold") { over_each({over_shm, adapted_shm}, reproducible); }
TEST_CASE("scans keep the order") { over_each({over_shm, adapted_shm}, scans); }
TEST_CASE("mistakes of the caller") { over_each({over_shm, adapted_shm}, mistakes); }
TEST_CASE("counted bytes are those of the cost model") { counted_bytes(over_shm); }
TEST_CASE("a trace has every step") { traced_steps(over_shm); }

}  // namespace conformance
