// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite over MPI. The first argument is the number of ranks it was launched with: a
// launcher of another MPI starts as many programs of one rank each, which must not pass.
#include <mpi/world.hpp>

#include <conformance/bits_suite.hpp>
#include <conformance/collectives_suite.hpp>
#include <conformance/counts_suite.hpp>
#include <conformance/groups_suite.hpp>
#include <conformance/messages_suite.hpp>
#include <conformance/started_suite.hpp>
#include <conformance/usage_suite.hpp>

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

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

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    int size = 0, rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 2 || std::atoi(argv[1]) != size) {
        std::fprintf(stderr, "%s was launched with %s ranks, but finds %d\n", argv[0],
                     argc < 2 ? "no number of" : argv[1], size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    doctest::Context context(argc - 1, argv + 1);
    auto const result = context.run();
    if (result != 0) { MPI_Abort(MPI_COMM_WORLD, result); }
    MPI_Finalize();
    return result;
}
