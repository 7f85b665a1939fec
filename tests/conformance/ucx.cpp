// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite over UCX.
#include <collectives/communicator/core.hpp>
#include <collectives/ucx.hpp>

#include <conformance/suites.hpp>
#include <ucx/world.hpp>

#include <chrono>
#include <thread>
#include <vector>

namespace conformance {

namespace {

void run_ucx(int size, rank_body const& body) {
    if (size < 1) { throw coll::usage_error("no ranks"); }
    ucx_world::run(size, body);
}
constexpr world over_ucx{"UCX", run_ucx};

}  // namespace

TEST_CASE("every collective with every algorithm") { every_collective(over_ucx); }
TEST_CASE("every root") { every_root(over_ucx); }
TEST_CASE("elements of any size at any address") { every_element(over_ucx); }
TEST_CASE("blocks of any sizes") { any_cut(over_ucx); }
TEST_CASE("blocks at any places") { any_places(over_ucx); }
TEST_CASE("several calls under way") { several_under_way(over_ucx); }
TEST_CASE("ends of started calls") { ends_of_calls(over_ucx); }
TEST_CASE("planned calls") { planned_calls(over_ucx); }
TEST_CASE("calls that go on alone") { calls_that_go_on_alone(over_ucx); }
TEST_CASE("ranges of all kinds") { all_ranges(over_ucx); }
TEST_CASE("messages") { messages_between_two(over_ucx); }
TEST_CASE("messages that wait") { probes(over_ucx); }
TEST_CASE("messages both ways at once") { exchanges(over_ucx); }
TEST_CASE("groups") { groups(over_ucx); }
TEST_CASE("groups at the same time") { groups_at_once(over_ucx); }
TEST_CASE("all ranks get the same bits") { equal_bits(over_ucx); }
TEST_CASE("reproducible is the left fold") { reproducible(over_ucx); }
TEST_CASE("scans keep the order") { scans(over_ucx); }
TEST_CASE("mistakes of the caller") { mistakes(over_ucx); }
TEST_CASE("calls take the short path, by the prices of links") {
    run_ucx(2, [](coll::communicator& comm) {
        expect(core_of(comm)->engine().carrier().short_path != nullptr, "no short path");
        expect(comm.model().round == coll::machine_model::of_links().round, "other prices");
    });
}
TEST_CASE("a rank that has ended waits for those who have yet to receive") {
    run_ucx(3, [](coll::communicator& comm) {
        std::vector<float> v(5'000, 1);
        comm.broadcast(v);
        comm.barrier();
        // Longer than the 5 s that a rank waits whatever the time-out is.
        if (comm.rank() != 0) { std::this_thread::sleep_for(std::chrono::seconds(6)); }
        for (int n = 0; n < 20; ++n) { comm.broadcast(v); }
    });
}

}  // namespace conformance
