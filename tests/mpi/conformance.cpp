// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite over MPI.
#include <mpi/world.hpp>

#include <conformance/suites.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace conformance {

TEST_CASE("every collective with every algorithm") { every_collective(over_mpi); }
TEST_CASE("every root") { every_root(over_mpi); }
TEST_CASE("elements of any size at any address") { every_element(over_mpi); }
TEST_CASE("blocks of any sizes") { any_cut(over_mpi); }
TEST_CASE("blocks at any places") { any_places(over_mpi); }
TEST_CASE("several calls under way") { several_under_way(over_mpi); }
TEST_CASE("ends of started calls") { ends_of_calls(over_mpi); }
TEST_CASE("planned calls") { planned_calls(over_mpi); }
TEST_CASE("calls that go on alone, where MPI is for one thread at a time") {
    int level = -1;
    MPI_Query_thread(&level);
    if (level >= MPI_THREAD_SERIALIZED) { return calls_that_go_on_alone(over_mpi); }
    over_mpi.run(2, [](coll::communicator& comm) {
        auto const text = expect_throw<coll::usage_error>(
            [&] { (void)comm.start_barrier({.progress = coll::background}); }, "a thread");
        expect(text.find("another thread") != text.npos, text);
        comm.barrier({.progress = coll::background});  // blocks anyway
    });
}
TEST_CASE("what is no group of ranks of MPI") {
    auto const refused = [](MPI_Comm ranks, char const* why) {
        auto const text =
            expect_throw<coll::usage_error>([&] { (void)communicator_of(ranks); }, why);
        expect(text.find(why) != text.npos, text);
    };
    refused(MPI_COMM_NULL, "MPI_UNDEFINED");
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == 1) { return; }
    MPI_Comm half = MPI_COMM_NULL, both = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &both);
    refused(both, "MPI_Intercomm_merge");
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}
TEST_CASE("ranges of all kinds") { all_ranges(over_mpi); }
TEST_CASE("messages") { messages_between_two(over_mpi); }
TEST_CASE("messages that wait") { probes(over_mpi); }
TEST_CASE("messages both ways at once") { exchanges(over_mpi); }
TEST_CASE("groups") { groups(over_mpi); }
TEST_CASE("groups at the same time") { groups_at_once(over_mpi); }
TEST_CASE("all ranks get the same bits") { equal_bits(over_mpi); }
TEST_CASE("reproducible is the left fold") { reproducible(over_mpi); }
TEST_CASE("scans keep the order") { scans(over_mpi); }
TEST_CASE("mistakes of the caller") { mistakes(over_mpi); }

}  // namespace conformance

int main(int argc, char** argv) {  // three ranks: for one thread at a time; others: its main thread
    auto const three = argc > 1 && std::string_view(argv[1]) == "3";
    return conformance::run_launched(argc, argv,
                                     three ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED);
}
