// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite over MPI.
#include <mpi/launched.hpp>
#include <mpi/world.hpp>

#include <conformance/suites.hpp>

namespace conformance {

TEST_CASE("every collective with every algorithm") { every_collective(over_mpi); }
TEST_CASE("every root") { every_root(over_mpi); }
TEST_CASE("elements of any size at any address") { every_element(over_mpi); }
TEST_CASE("blocks of any sizes") { any_cut(over_mpi); }
TEST_CASE("several calls under way") { several_under_way(over_mpi); }
TEST_CASE("ends of started calls") { ends_of_calls(over_mpi); }
TEST_CASE("ranges of all kinds") { all_ranges(over_mpi); }
TEST_CASE("messages") { messages_between_two(over_mpi); }
TEST_CASE("groups") { groups(over_mpi); }
TEST_CASE("groups at the same time") { groups_at_once(over_mpi); }
TEST_CASE("all ranks get the same bits") { equal_bits(over_mpi); }
TEST_CASE("reproducible is the left fold") { reproducible(over_mpi); }
TEST_CASE("mistakes of the caller") { mistakes(over_mpi); }

}  // namespace conformance

int main(int argc, char** argv) { return conformance::run_launched(argc, argv); }
