// SPDX-License-Identifier: BSD-3-Clause
// Tensor fusion over ranks that reach each other by UCX.
#include <collectives/ucx.hpp>

#include <fusion/suites.hpp>
#include <fusion/tensors.hpp>
#include <ucx/world.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

namespace fusion_tests {

constexpr world over_ucx{"UCX", ucx_world::run};

TEST_CASE("every threshold, with and without a thread") { every_threshold(over_ucx); }
TEST_CASE("handles") { handles(over_ucx); }
TEST_CASE("compression") { compressed(over_ucx); }
TEST_CASE("the same bits") { same_bits(over_ucx); }
TEST_CASE("priorities") { priorities(over_ucx); }
TEST_CASE("priorities, ranks at their own pace") { uneven_ranks(over_ucx); }

using floats = std::vector<float>;
using odd_step = std::function<void(coll::fusion_buffer&, bool odd, floats& small, floats& middle,
                                    floats& large)>;

/// What every one of three ranks is told when the last does something else.
void check_told(std::vector<std::string> const& parts, odd_step const& step) {
    for (bool const thread : {false, true}) {
        over_ucx.run(3, [&](coll::communicator& comm) {
            std::vector<float> small(50), middle(100), large(5000);
            coll::fusion_buffer fusion(comm, {.threshold = 1000, .progress_thread = thread});
            auto const text = expect_throw<coll::mismatch_error>(
                [&] {
                    step(fusion, comm.rank() == 2, small, middle, large);
                    fusion.flush();
                },
                "a mismatch");
            for (auto const& part : parts) { expect(text.find(part) != text.npos, text); }
            expect_throw<coll::mismatch_error>([&] { (void)fusion.add(small); }, "broken");
        });
    }
}

TEST_CASE("another order: an error on all ranks that names the tensors") {
    check_told({"rank 0 has 'a' (50 x float), rank 2 has 'b' (100 x float)"},
               [](coll::fusion_buffer& fusion, bool odd, auto& small, auto& middle, auto&) {
                   if (!odd) { (void)fusion.add(small, "a"); }
                   (void)fusion.add(middle, "b");
                   if (odd) { (void)fusion.add(small, "a"); }
               });
}
TEST_CASE("another size of a large one, which UCX cannot call back: an error with what each has") {
    check_told({"count differs: rank ", " has 5000, rank 2 has 100", "tensor 0", "'d' ("},
               [](coll::fusion_buffer& fusion, bool odd, auto&, auto& middle, auto& large) {
                   (void)fusion.add(odd ? middle : large, "d");
                   if (odd) { fusion.flush(); }
               });
}

}  // namespace fusion_tests
