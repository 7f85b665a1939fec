// SPDX-License-Identifier: BSD-3-Clause
// Tensor fusion over MPI. Seven ranks, for which the suites have nothing, have MPI for their main
// thread alone; other numbers for one thread at a time, as a progress thread needs it.
#include <mpi/world.hpp>

#include <fusion/suites.hpp>
#include <fusion/tensors.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace fusion_tests {

using conformance::over_mpi;

TEST_CASE("every threshold, with and without a thread") { every_threshold(over_mpi); }
TEST_CASE("handles") { handles(over_mpi); }
TEST_CASE("compression") { compressed(over_mpi); }
TEST_CASE("the same bits") { same_bits(over_mpi); }
TEST_CASE("priorities") { priorities(over_mpi); }
TEST_CASE("priorities, ranks at their own pace") { uneven_ranks(over_mpi); }

TEST_CASE("a progress thread needs MPI for more than its main thread") {
    over_mpi.run(7, [](coll::communicator& comm) {
        int level = -1;
        MPI_Query_thread(&level);
        expect(level == MPI_THREAD_FUNNELED, "this MPI gives more than was asked for");
        auto const text = expect_throw<coll::usage_error>(
            [&] { coll::fusion_buffer(comm, {.progress_thread = true}); }, "a thread");
        expect(text.find("initialise it with MPI_THREAD_SERIALIZED") != text.npos, text);
        auto adapted = comm.with(coll::counted{});
        expect_throw<coll::usage_error>(
            [&] { coll::fusion_buffer(adapted, {.progress_thread = true}); }, "an adaptor");
        std::vector<float> a(100, 1.0F), b(100'000, 2.0F);
        coll::fusion_buffer fusion(comm, {.threshold = 1000});  // without one all is well
        (void)fusion.add(a);
        (void)fusion.add(b);
        fusion.flush();
        expect(a[99] == 7 && b[0] == 14, "a wrong sum");
    });
}

TEST_CASE("another order: an error on all ranks that names the tensors") {
    over_mpi.run(3, [](coll::communicator& comm) {
        static std::vector<float> a(100), b(50);  // MPI may read them to its end
        for (bool const thread : {false, true}) {
            auto own = conformance::communicator_of(MPI_COMM_WORLD);
            coll::fusion_buffer fusion(own, {.progress_thread = thread});
            auto const odd = comm.rank() == 2;
            auto const text = expect_throw<coll::mismatch_error>(
                [&] {
                    (void)fusion.add(odd ? b : a, odd ? "b" : "a");
                    (void)fusion.add(odd ? a : b, odd ? "a" : "b");
                    fusion.flush();
                },
                "a mismatch");
            expect(
                text.find("rank 0 has 'a' (100 x float), rank 2 has 'b' (50 x float)") != text.npos,
                text);
        }
    });
}

}  // namespace fusion_tests

int main(int argc, char** argv) {
    auto const seven = argc > 1 && std::string(argv[1]) == "7";
    return conformance::run_launched(argc, argv,
                                     seven ? MPI_THREAD_FUNNELED : MPI_THREAD_SERIALIZED);
}
